/*
 * memref gives the address of an address and a size.
 *
 * opts: -q
 */

char *p;
BEGIN
{
	p = alloca(8);
	printf("%d\n", memref(p, 8)[0] == (uintptr_t)p);
	printf("%d\n", memref(p, 8)[1]);
	exit(0);
}
