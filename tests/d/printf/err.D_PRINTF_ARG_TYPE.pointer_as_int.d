/*
 * %d takes no pointer.
 *
 * line: 9
 */

BEGIN
{
	printf("%d", (int *)0);
}
