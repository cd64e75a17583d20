/*
 * A star needs its argument.
 *
 * line: 9
 */

BEGIN
{
	printf("%*d");
}
