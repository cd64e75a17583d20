/*
 * Reading a member of an array element that was never stored faults.
 *
 * opts: -q
 */

struct s { int m; };
struct s a[int];
BEGIN
{
	a[4].m = 7;
	trace(a[5].m);
	printf("not here\n");
}
ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
	exit(0);
}
