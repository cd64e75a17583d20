/*
 * Several aggregations have equal key types.
 */

BEGIN
{
	@a[1] = count();
	@b["s"] = count();
	printa(@a, @b);
}
