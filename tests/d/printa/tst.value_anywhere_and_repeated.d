/*
 * %@ may come before, between or behind the keys and be repeated.
 *
 * opts: -q
 */

BEGIN
{
	@[1, "x"] = sum(10);
	printa("%@d %d %@x %s %@5d\n", @);
	exit(0);
}
