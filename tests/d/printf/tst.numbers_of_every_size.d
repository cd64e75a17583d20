/*
 * A conversion without size follows the size and sign of its argument.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %i %u %o %x %X\n", (char)-1, (char)-1, (char)-1, (char)-1, (char)-1, (char)-1);
	printf("%d %i %u %o %x %X\n", (short)-2, (short)-2, (short)-2, (short)-2, (short)-2, (short)-2);
	printf("%d %i %u %o %x %X\n", -3, -3, -3, -3, -3, -3);
	printf("%d %i %u %o %x %X\n", -4LL, -4LL, -4LL, -4LL, -4LL, -4LL);
	printf("%d %d %d %d\n", (uint8_t)200, (uint16_t)60000, 4000000000U, 18446744073709551615ULL);
	printf("%#x %#o %#X %#x\n", 255, 8, 255, 0);
	printf("%+d %+d % d % d\n", 5, -5, 5, -5);
	exit(0);
}
