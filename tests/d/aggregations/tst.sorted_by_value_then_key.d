/*
 * Rows are sorted ascending by value, ties by keys.
 *
 * opts: -q
 */

BEGIN
{
	@["d"] = sum(2);
	@["c"] = sum(1);
	@["b"] = sum(1);
	@["a"] = sum(-1);
	@["e"] = sum(100);
	exit(0);
}
