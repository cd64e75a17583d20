/*
 * The members of a union share their bytes.
 *
 * opts: -q
 */

union u { int i; char c[4]; };
union u v;
BEGIN
{
	v.i = 0x41424344;
	printf("%d\n", v.c[0]);
	printf("%d\n", v.c[3]);
	v.c[0] = 0;
	printf("%x\n", v.i);
	exit(0);
}
