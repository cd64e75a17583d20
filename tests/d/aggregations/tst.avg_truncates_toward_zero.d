/*
 * sum / count is truncated toward zero.
 *
 * opts: -q
 */

BEGIN
{
	@a = avg(-1);
	@a = avg(-2);
	@b = avg(1);
	@b = avg(2);
	exit(0);
}
