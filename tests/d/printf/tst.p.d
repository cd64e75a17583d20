/*
 * %p prints hex of the argument's own size without 0x; %#p adds it.
 *
 * opts: -q
 */

BEGIN
{
	printf("%p\n", (void *)0x1234);
	printf("%p\n", -1);
	printf("%p\n", NULL);
	printf("%#p\n", (char *)0xbeef);
	exit(0);
}
