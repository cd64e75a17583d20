/*
 * %d and %i print signed or unsigned by the argument's type and size.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", (char)-1);
	printf("%d\n", (uint8_t)200);
	printf("%d\n", 4294967295U);
	printf("%i\n", 4294967295U);
	printf("%d\n", 18446744073709551615ULL);
	printf("%d\n", -4LL);
	printf("%i\n", (short)-2);
	exit(0);
}
