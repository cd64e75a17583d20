/*
 * %@ belongs to printa.
 *
 * line: 10
 * message: %@ conversion requires an aggregation and is not for use with printf( )
 */

BEGIN
{
	printf("%@d", 1);
}
