/*
 * tracemem dumps nbytes bytes at an address in lines of 16.
 */

char *p;
BEGIN
{
	p = alloca(24);
	bcopy("Hello, tracemem world!!", p, 24);
	tracemem(p, 24);
	exit(0);
}
