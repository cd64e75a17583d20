/*
 * An array that is defined elsewhere needs no dimension.
 *
 * opts: -q
 */

extern int a[];
extern char *environ[];

BEGIN
{
	trace(1);
	exit(0);
}
