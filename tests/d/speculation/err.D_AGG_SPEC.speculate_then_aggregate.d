/*
 * An aggregation may not follow speculate.
 *
 * line: 11
 * message: aggregating actions may not follow speculate( )
 */

BEGIN
{
	speculate(1);
	@ = count();
}
