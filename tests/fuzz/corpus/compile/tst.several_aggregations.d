/*
 * Several aggregations are joined by key; a missing value is 0, after the last %@ the last
 * again.
 *
 * opts: -q
 */

BEGIN
{
	@a["a"] = sum(1);
	@a["b"] = sum(2);
	@b["b"] = sum(5);
	@b["c"] = sum(-1);
	printa("%s %@d %@d %@d\n", @a, @b);
	printa("%@d\n", @a, @b);
	exit(0);
}
