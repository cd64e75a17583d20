/*
 * A program that brings B_FALSE and B_TRUE itself has its own.
 *
 * opts: -q
 */

enum { B_TRUE = 7, B_FALSE };

BEGIN
{
	trace(B_TRUE);
	trace(B_FALSE);
	exit(0);
}
