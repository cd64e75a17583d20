/*
 * == and < compare 64-bit register values.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", (char)-1 == (unsigned char)255);
	printf("%d\n", -1 < 1u);
	printf("%d\n", -1L < 1u);
	printf("%d\n", -1 == 0xffffffff);
	printf("%d\n", (char)-1 == -1);
	printf("%d\n", (uint8_t)255 == 255);
	exit(0);
}
