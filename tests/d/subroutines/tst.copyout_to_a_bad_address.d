/*
 * copyout to an address that cannot be written is the fault invalid address.
 *
 * opts: -q -w
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:leaf:entry
/!n++/
{
	copyout(alloca(4), 8, 4);
}
ERROR
{
	printf("%d %d\n", arg4, arg5);
	exit(0);
}
