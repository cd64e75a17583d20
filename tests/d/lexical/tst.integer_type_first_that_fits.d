/*
 * The type of a constant is the first of int, long (decimal) or int, unsigned, long, unsigned
 * long (octal and hex) that can hold the value.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(1));
	printf("%d\n", sizeof(2147483647));
	printf("%d\n", sizeof(2147483648));
	printf("%d\n", sizeof(0x7fffffff));
	printf("%d\n", sizeof(0x80000000));
	printf("%d\n", sizeof(0xffffffff));
	printf("%d\n", sizeof(0x100000000));
	printf("%d\n", sizeof(037777777777));
	printf("%d\n", 0xffffffff);
	printf("%d\n", 037777777777);
	printf("%d\n", 2147483648);
	printf("%d\n", 0xffffffffffffffff);
	exit(0);
}
