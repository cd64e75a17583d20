/*
 * The value of an aggregation is an integer.
 *
 * line: 10
 */

BEGIN
{
	@a = count();
	printa("%@s\n", @a);
}
