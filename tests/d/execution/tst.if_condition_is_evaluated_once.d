/*
 * The condition is evaluated once, before its branches.
 *
 * opts: -q
 */

BEGIN
{
	x = 1;
	if (x == 1) {
		x = 2;
		printf("then\n");
	} else {
		printf("else\n");
	}
	if (x++ == 2)
		printf("x was 2\n");
	printf("%d\n", x);
	exit(0);
}
