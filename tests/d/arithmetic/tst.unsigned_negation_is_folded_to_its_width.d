/*
 * A constant unsigned negation has the bits of its type.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d %d %d\n", 4294967295 == -1u, -1u > 0x7fffffff, -1ul == 0xffffffffffffffff, (unsigned char)-(unsigned char)1);
	exit(0);
}
