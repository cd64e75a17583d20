/*
 * trunc needs an aggregation.
 *
 * line: 9
 */

BEGIN
{
	trunc(1);
}
