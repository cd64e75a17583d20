/*
 * A device number of the kernel has 12 bits of major and 20 of minor number.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d\n", getmajor(0x80100003), getminor(0x80100003));
	printf("%d %d\n", getmajor(0xfff00000003), getminor(0xfff12345678));
	exit(0);
}
