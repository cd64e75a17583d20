/*
 * printm(size, memref(address, n)) prints n bytes as tracemem() does, at most size.
 *
 * opts: -q
 */

BEGIN
{
	printm(4, memref("abcdefgh", 8));
	printm(16, memref("abcdefgh", 8));
}

BEGIN
{
	printm(4, (uintptr_t *)NULL);
}

ERROR
{
	printf("fault %d in action #%d\n", arg4, arg2);
	exit(0);
}
