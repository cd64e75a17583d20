/*
 * A conversion must be known.
 *
 * message: format conversion #1 is undefined: %q
 * line: 10
 */

BEGIN
{
	printf("%q", 1);
}
