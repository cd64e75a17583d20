/*
 * && and || do not evaluate the right side when the left one decides.
 *
 * opts: -q
 */

BEGIN
{
	n = 0;
	x = 0 && n++;
	y = 1 || n++;
	printf("%d\n", n);
	x = 1 && ++n;
	printf("%d\n", n);
	y = 0 || ++n;
	printf("%d\n", n);
	exit(0);
}
