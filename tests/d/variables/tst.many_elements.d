/*
 * Hundreds of elements are kept apart.
 *
 * opts: -q
 */

BEGIN
{
	n = 0;
}
tick-5000hz
/n < 300/
{
	a[n] = n * n;
	n++;
}
tick-5000hz
/n == 300/
{
	printf("%d %d %d %d\n", a[0], a[17], a[299], a[300]);
	exit(0);
}
