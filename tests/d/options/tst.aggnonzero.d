/*
 * With aggnonzero, rows whose value is 0 are left out; of several aggregations, those whose first value is.
 */
#pragma D option quiet
#pragma D option aggnonzero

BEGIN
{
	@a["both"] = sum(1);
	@a["one"] = sum(5);
	@a["one"] = sum(-5);
	@a["none"] = sum(0);
	@a["less"] = sum(-2);
	@b["both"] = count();
	@b["one"] = count();
	printa("%s %@d %@d\n", @a, @b);
	printa("%s %@d\n", @a);
	trunc(@a, 1);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
