/*
 * A value of type string prints as a string, also when it is empty or holds control bytes.
 */

BEGIN
{
	trace("");
	trace("a\001b");
	trace("%d %s %");
	exit(0);
}
