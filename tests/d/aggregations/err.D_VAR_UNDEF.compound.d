/*
 * A compound assignment does not define an aggregation.
 *
 * line: 9
 */

BEGIN
{
	@a += count();
}
