/*
 * Values of a line are printed in program order, each with its own leading blanks.
 */

BEGIN
{
	trace(7);
	trace(65536LL);
	trace("hello");
	exit(0);
}
