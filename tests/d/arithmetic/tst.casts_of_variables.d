/*
 * Casts at run time do as the folded ones.
 *
 * opts: -q
 */

int i;
BEGIN
{
	i = 200;
	printf("%d\n", (char)i);
	i = -1;
	printf("%d\n", (uint8_t)i);
	printf("%d\n", (unsigned)i);
	printf("%u\n", (uint64_t)i);
	printf("%d\n", (short)i);
	printf("%d\n", (uint16_t)i);
	exit(0);
}
