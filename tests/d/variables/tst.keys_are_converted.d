/*
 * A key is converted to the type of the first use.
 *
 * opts: -q
 */

int a[char];
BEGIN
{
	a['x'] = 5;
	printf("%d\n", a[0x178]);
	b[1L] = 6;
	printf("%d\n", b[1]);
	exit(0);
}
