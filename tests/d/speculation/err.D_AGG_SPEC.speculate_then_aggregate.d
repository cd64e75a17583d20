/*
 * An aggregation may not follow speculate.
 *
 * line: 10
 */

BEGIN
{
	speculate(1);
	@ = count();
}
