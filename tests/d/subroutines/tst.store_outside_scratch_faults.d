/*
 * A store outside scratch memory and variables is the fault invalid address.
 *
 * opts: -q
 */

BEGIN
{
	*(int *)64 = 1;
}
ERROR
{
	printf("%d %d\n", arg4, arg5);
	exit(0);
}
