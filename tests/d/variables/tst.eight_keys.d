/*
 * A tuple has up to eight keys.
 *
 * opts: -q
 */

BEGIN
{
	a[1, 2, 3, 4, 5, 6, 7, 8] = 9;
	printf("%d\n", a[1, 2, 3, 4, 5, 6, 7, 8]);
	printf("%d\n", a[1, 2, 3, 4, 5, 6, 7, 9]);
	exit(0);
}
