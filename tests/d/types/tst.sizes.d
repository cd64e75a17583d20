/*
 * The data model is LP64.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(char));
	printf("%d\n", sizeof(short));
	printf("%d\n", sizeof(int));
	printf("%d\n", sizeof(long));
	printf("%d\n", sizeof(long long));
	printf("%d\n", sizeof(unsigned char));
	printf("%d\n", sizeof(unsigned short));
	printf("%d\n", sizeof(unsigned));
	printf("%d\n", sizeof(unsigned long));
	printf("%d\n", sizeof(unsigned long long));
	printf("%d\n", sizeof(signed));
	printf("%d\n", sizeof(_Bool));
	printf("%d\n", sizeof(float));
	printf("%d\n", sizeof(double));
	printf("%d\n", sizeof(long double));
	printf("%d\n", sizeof(void *));
	printf("%d\n", sizeof(char *));
	exit(0);
}
