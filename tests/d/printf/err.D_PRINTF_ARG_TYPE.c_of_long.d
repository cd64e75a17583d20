/*
 * %c takes at most 4 bytes.
 *
 * line: 9
 */

BEGIN
{
	printf("%c", 1L);
}
