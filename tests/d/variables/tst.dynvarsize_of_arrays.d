/*
 * An element takes 4 bytes, its keys, 8 more and the largest value: 20 from int to int. Storing 0 in one
 * that is not there takes nothing.
 *
 * opts: -q -x dynvarsize=59
 */

BEGIN
{
	a[1] = 1;
	a[2] = 2;
	a[3] = 0;
	a[4] = 4;
	printf("%d %d %d\n", a[1], a[2], a[4]);
	exit(0);
}
