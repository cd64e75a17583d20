/*
 * A string is no integer.
 *
 * line: 9
 */

BEGIN
{
	printf("%d %d", 1, "a");
}
