/*
 * %ld, %lld and their relatives take 64-bit values.
 *
 * opts: -q
 */

BEGIN
{
	printf("%ld\n", 1L << 40);
	printf("%lld\n", -5LL);
	printf("%lx\n", 255L);
	printf("%llx\n", 255ULL);
	printf("%lu\n", (uint64_t)7);
	printf("%hd\n", (short)-3);
	printf("%hu\n", (ushort_t)65535);
	exit(0);
}
