/*
 * speculation() returns 0 and counts a failed speculation when all are active; the lowest free ID
 * else.
 *
 * opts: -q
 */

BEGIN
{
	x = speculation();
	y = speculation();
	z = speculation();
	printf("%d %d %d\n", x, y, z);
}

BEGIN
{
	discard(1);
}

BEGIN
{
	printf("%d\n", speculation());
	exit(0);
}
