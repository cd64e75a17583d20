/*
 * A string is printed in 33 columns behind two blanks.
 */

BEGIN
{
	trace("hello");
	trace("x");
	exit(0);
}
