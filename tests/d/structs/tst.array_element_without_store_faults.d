/*
 * Before a whole struct was stored, storing a member of an array element faults.
 *
 * opts: -q
 */

struct s { int m; };
struct s a[int];
BEGIN
{
	a[5].m = 7;
	printf("not here\n");
}
ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
	exit(0);
}
