/*
 * int a[10][3] holds that many ints, zero at first.
 *
 * opts: -q
 */

int a[10];
int m[10][3];
BEGIN
{
	printf("%d\n", sizeof(a));
	printf("%d\n", sizeof(m));
	printf("%d\n", a[9]);
	a[3] = 7;
	m[2][1] = 9;
	printf("%d\n", a[3] + m[2][1]);
	printf("%d\n", m[1][2]);
	exit(0);
}
