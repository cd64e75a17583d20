/*
 * A result that has more bits than its type keeps them when it becomes a 64-bit value.
 *
 * opts: -q
 */

int64_t v;
int x;
long a[long];

BEGIN
{
	v = 1 << 31;
	printf("%d ", v);
	x = 2147483647;
	v = x + 1;
	printf("%d %d ", v, (int64_t)(x + 1));
	v = x;
	printf("%d ", v);
	x = -5;
	v = x;
	printf("%d ", v);
	v = x * 2;
	printf("%d ", v);
	v = (int)(x + 1);
	printf("%d\n", v);
	a[1 << 31] = 7;
	printf("%d %d\n", a[2147483648], a[-2147483648]);
	exit(0);
}
