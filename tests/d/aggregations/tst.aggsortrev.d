/*
 * aggsortrev reverses the whole order.
 *
 * opts: -q -x aggsortrev
 */

BEGIN
{
	@["a"] = sum(1);
	@["b"] = sum(1);
	@["c"] = sum(5);
	exit(0);
}
