/*
 * ?: evaluates one side; integers of both sides are converted to one type.
 *
 * opts: -q
 */

BEGIN
{
	n = 0;
	x = 1 ? 10 : n++;
	y = 0 ? n++ : 20;
	z = pid ? 30 : n++;
	printf("%d %d %d %d\n", x, y, z, n);
	printf("%d\n", sizeof(pid ? 'a' : 1L));
	printf("%s\n", pid ? "yes" : "no");
	exit(0);
}
