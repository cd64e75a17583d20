/*
 * Arguments behind the format are aggregations.
 *
 * line: 10
 */

BEGIN
{
	@a = count();
	printa("%@d %d\n", @a, 5);
}
