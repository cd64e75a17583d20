/*
 * A cast to a smaller integer truncates, then sign- or zero-extends.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", (char)200);
	printf("%d\n", (uint8_t)-1);
	printf("%d\n", (short)0x12345);
	printf("%d\n", (int)0x100000001);
	printf("%d\n", (unsigned)-1);
	printf("%d\n", (uint16_t)-2);
	printf("%d\n", (long)(char)-1);
	printf("%u\n", (unsigned long)(char)-1);
	printf("%u\n", (uint64_t)(uint8_t)-1);
	printf("%d\n", (int)(unsigned char)(char)-1);
	exit(0);
}
