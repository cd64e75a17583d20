/*
 * Pointers compare unsigned.
 *
 * opts: -q
 */

char *p;
BEGIN
{
	p = (char *)-1;
	printf("%d\n", p > (char *)1);
	printf("%d\n", p != NULL);
	p = NULL;
	printf("%d\n", p == NULL);
	printf("%d\n", p == 0);
	printf("%d\n", !p);
	exit(0);
}
