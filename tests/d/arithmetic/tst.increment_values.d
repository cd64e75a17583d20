/*
 * Postfix gives the old value, prefix the new one.
 *
 * opts: -q
 */

BEGIN
{
	x = 5;
	printf("%d\n", x++);
	printf("%d\n", x);
	printf("%d\n", ++x);
	printf("%d\n", x--);
	printf("%d\n", --x);
	exit(0);
}
