/*
 * avg is (sum / n) / count; stddev divides inside the root.
 *
 * opts: -q
 */

BEGIN
{
	@a = avg(10);
	@a = avg(21);
	@s = stddev(10);
	@s = stddev(30);
	normalize(@a, 3);
	normalize(@s, 3);
	exit(0);
}
