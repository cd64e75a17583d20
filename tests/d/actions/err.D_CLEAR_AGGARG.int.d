/*
 * clear needs an aggregation.
 *
 * line: 9
 */

BEGIN
{
	clear(1);
}
