/*
 * The third argument is the number of bytes that count; 0 or too many print all.
 *
 * opts: -q
 */

char *p;
BEGIN
{
	p = alloca(8);
	*(long *)p = 0x6867666564636261;
	n = 3;
	tracemem(p, 8, n);
	n = 0;
	tracemem(p, 8, n);
	n = 9;
	tracemem(p, 8, n);
	exit(0);
}
