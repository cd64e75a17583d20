/*
 * lltostr prints a number in a base: signed in base 10, prefixes 0 and 0x in bases 8 and 16.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", lltostr(-5));
	printf("%s\n", lltostr(255, 16));
	printf("%s\n", lltostr(8, 8));
	printf("%s\n", lltostr(0));
	printf("%s\n", lltostr(0, 16));
	printf("%s\n", lltostr(0, 8));
	printf("%s\n", lltostr(5, 2));
	printf("%s\n", lltostr(35, 36));
	printf("%s\n", lltostr(-1, 16));
	printf("%s\n", lltostr(1L << 63));
	printf("%s\n", lltostr(10, 10));
	exit(0);
}
