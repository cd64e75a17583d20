/*
 * stddev is the floor of the root of the variance.
 *
 * opts: -q
 */

BEGIN
{
	@["a"] = stddev(10);
	@["a"] = stddev(30);
	@["b"] = stddev(7);
	@["c"] = stddev(1);
	@["c"] = stddev(2);
	@["c"] = stddev(3);
	@["c"] = stddev(4);
	exit(0);
}
