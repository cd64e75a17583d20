/*
 * sum adds, min and max are signed, avg is truncated toward zero.
 *
 * opts: -q
 */

BEGIN
{
	@s = sum(5);
	@s = sum(-20);
	@n = min(3);
	@n = min(-7);
	@x = max(-5);
	@x = max(2);
	@v = avg(3);
	@v = avg(-8);
	exit(0);
}
