/*
 * %Y takes 64 bits.
 *
 * line: 9
 */

BEGIN
{
	printf("%Y", 1);
}
