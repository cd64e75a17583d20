/*
 * tracemem dumps nbytes bytes at an address in lines of 16.
 */

char *p;
BEGIN
{
	p = alloca(24);
	*(long *)p = 0x74202c6f6c6c6548;
	*(long *)(p + 8) = 0x206d656d65636172;
	*(long *)(p + 16) = 0x002121646c726f77;
	tracemem(p, 24);
	exit(0);
}
