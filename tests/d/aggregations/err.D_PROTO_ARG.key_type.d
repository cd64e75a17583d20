/*
 * An aggregation keeps the types of its keys.
 *
 * line: 10
 */

BEGIN
{
	@a[1] = count();
	@a["s"] = count();
}
