/*
 * An aggregation keeps its function.
 *
 * line: 10
 */

BEGIN
{
	@a = count();
	@a = sum(1);
}
