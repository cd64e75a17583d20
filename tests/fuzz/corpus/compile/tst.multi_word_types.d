/*
 * The words of a type may stand in any order.
 *
 * opts: -q
 */

long unsigned int a;
short int b;
unsigned long long c;
char unsigned d;
int long e;
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof(a), sizeof(b), sizeof(c), sizeof(d), sizeof(e));
	a = -1;
	d = -1;
	printf("%u %d\n", a, d);
	exit(0);
}
