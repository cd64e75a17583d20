/*
 * At entry arg0 to arg5 come from registers, arg6 to arg9 from the stack.
 *
 * opts: -q
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:six:entry
{
	printf("%d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6);
	printf("%d\n", arg7 == arg8 && arg8 == arg9 && arg9 == arg0 + 1);
	exit(0);
}
