/*
 * A store beyond dynvarsize is dropped and counted.
 *
 * opts: -q -x dynvarsize=1k
 */

tick-5000hz
/n < 1000/
{
	a[n] = 1;
	n++;
}
tick-5000hz
/n == 1000/
{
	exit(0);
}
int n;
