/*
 * %k is for a stack key in printa.
 *
 * line: 9
 */

BEGIN
{
	printf("%k", 1);
}
