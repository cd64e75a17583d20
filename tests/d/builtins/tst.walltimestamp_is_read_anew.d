/*
 * Each reading of walltimestamp is a new one and none goes back; timestamp is one for a clause.
 *
 * opts: -qw
 */

BEGIN
{
	a = walltimestamp;
	b = walltimestamp;
	printf("%d %d %d\n", a <= b, b - a < 60000000000, a > 1500000000000000000);
	c = timestamp;
	d = timestamp;
	printf("%d\n", c == d);
	chill(1);
	printf("%d\n", walltimestamp > b);
	exit(0);
}
