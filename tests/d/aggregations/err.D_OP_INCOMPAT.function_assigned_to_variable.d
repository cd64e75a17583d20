/*
 * An aggregating function is assigned to an aggregation only.
 *
 * line: 9
 */

BEGIN
{
	x = count();
}
