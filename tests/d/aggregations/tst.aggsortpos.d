/*
 * aggsortpos chooses the aggregation whose value sorts first in a multi-aggregation printa.
 *
 * opts: -q -x aggsortpos=1
 */

BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(2);
	@b["x"] = sum(9);
	@b["y"] = sum(3);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
