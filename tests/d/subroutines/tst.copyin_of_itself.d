/*
 * copyin of an address that cannot be read is the fault invalid address.
 *
 * opts: -q
 */

BEGIN
{
	trace(*(int *)copyin(0, 4));
}
ERROR
{
	printf("%d %x\n", arg4, arg5);
	exit(0);
}
