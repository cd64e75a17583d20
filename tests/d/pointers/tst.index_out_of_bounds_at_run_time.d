/*
 * A variable index outside the array is a fault.
 *
 * opts: -q
 * status: 1
 */

int a[10];
BEGIN
{
	i = 10;
	trace(a[i]);
}
ERROR
{
	printf("fault %d value %d\n", arg4, arg5);
	exit(1);
}
