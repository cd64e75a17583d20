/*
 * %u %o %x %X print the unsigned value of the argument's own size.
 *
 * opts: -q
 */

BEGIN
{
	printf("%x\n", (char)-1);
	printf("%x\n", (short)-1);
	printf("%x\n", -1);
	printf("%x\n", -1L);
	printf("%u\n", (char)-1);
	printf("%u\n", -1);
	printf("%o\n", (char)-1);
	printf("%X\n", 48879);
	exit(0);
}
