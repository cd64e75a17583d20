/*
 * if and else choose; else binds to the nearest if.
 *
 * opts: -q
 */

int n;
BEGIN
{
	if (n == 0)
		printf("zero\n");
	else
		printf("not zero\n");
	if (n == 1) {
		printf("one\n");
	} else if (n == 0) {
		n = 5;
		printf("zero again\n");
	} else
		printf("other\n");
	if (n == 5)
		if (n == 6)
			printf("no\n");
		else
			printf("nearest\n");
	printf("behind %d\n", n);
	exit(0);
}
