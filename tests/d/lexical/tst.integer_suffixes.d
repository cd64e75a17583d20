/*
 * A suffix u makes a constant unsigned, l and ll make it 64 bits wide; letters of either case.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(1u));
	printf("%d\n", sizeof(1L));
	printf("%d\n", sizeof(1ll));
	printf("%d\n", sizeof(1UL));
	printf("%d\n", sizeof(1ull));
	printf("%d\n", 4294967295u);
	printf("%d\n", -1L < 1u);
	printf("%d\n", -1 < 1u);
	printf("%d\n", 0x10uL);
	exit(0);
}
