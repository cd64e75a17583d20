/*
 * %@ belongs to printa.
 *
 * line: 9
 */

BEGIN
{
	printf("%@d", 1);
}
