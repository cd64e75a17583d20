/*
 * getmajor and getminor split a device number.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", getmajor(0x803));
	printf("%d\n", getminor(0x803));
	exit(0);
}
