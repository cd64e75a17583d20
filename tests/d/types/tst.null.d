/*
 * NULL behaves like the constant 0 written there.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(NULL));
	x = NULL;
	printf("%d\n", sizeof(x));
	printf("%d\n", x);
	printf("%d\n", NULL == 0);
	exit(0);
}
