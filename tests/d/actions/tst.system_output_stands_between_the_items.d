/*
 * The output of system stands between the items of the line.
 *
 * opts: -w
 */

BEGIN
{
	trace("a");
	system("echo hey");
	trace("b");
	exit(0);
}
