/*
 * With equal values the keys decide.
 *
 * opts: -q
 */

BEGIN
{
	@a["b"] = sum(1); @a["c"] = sum(1); @a["d"] = sum(1);
	@b["b"] = sum(1); @b["c"] = sum(1); @b["d"] = sum(1);
	trunc(@a, 2);
	trunc(@b, -2);
	exit(0);
}
