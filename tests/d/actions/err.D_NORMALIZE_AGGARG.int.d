/*
 * normalize needs an aggregation.
 *
 * line: 9
 */

BEGIN
{
	normalize(1, 1);
}
