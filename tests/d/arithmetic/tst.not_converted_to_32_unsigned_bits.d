/*
 * An int is not converted to 32 unsigned bits first as in C.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", -7 / 2u);
	printf("%d\n", -7 % 2u);
	printf("%d\n", 65536 * 65536);
	printf("%d\n", 2147483647L * 2);
	exit(0);
}
