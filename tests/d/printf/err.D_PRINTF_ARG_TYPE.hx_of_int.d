/*
 * %hx takes a short only.
 *
 * line: 9
 */

BEGIN
{
	printf("%hx", 1);
}
