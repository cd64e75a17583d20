/*
 * aggsortpos names the aggregation whose values are the first to be compared.
 *
 * opts: -q -x aggsortpos=1
 */

BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(2);
	@a["z"] = sum(3);
	@b["x"] = sum(9);
	@b["y"] = sum(9);
	@b["z"] = sum(1);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
