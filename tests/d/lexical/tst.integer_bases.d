/*
 * Integer constants are written in decimal, octal (leading 0) or hexadecimal.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", 10);
	printf("%d\n", 010);
	printf("%d\n", 0x10);
	printf("%d\n", 0XfF);
	printf("%d\n", 0);
	printf("%d\n", 00);
	printf("%d\n", 0x7fffffffffffffff);
	printf("%u\n", 0xffffffffffffffff);
	printf("%u\n", 18446744073709551615u);
	exit(0);
}
