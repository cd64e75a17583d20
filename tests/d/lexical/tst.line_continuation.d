/*
 * A backslash before a newline, between tokens, is ignored.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", \
	    1 + \
	    2);
	exit(0);
}
