/*
 * aggsortkey sorts by keys first.
 *
 * opts: -q -x aggsortkey
 */

BEGIN
{
	@["a"] = sum(9);
	@["c"] = sum(1);
	@["b"] = sum(5);
	exit(0);
}
