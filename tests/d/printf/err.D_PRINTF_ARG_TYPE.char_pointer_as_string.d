/*
 * %s takes no char pointer: use stringof.
 *
 * line: 9
 */

BEGIN
{
	printf("%s", (char *)0);
}
