/*
 * Floating-point arguments do not count among the registers of the others; the seventh argument and
 * up are on the stack.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:scale:entry
{
	printf("%d %d\n", args[1], args[3]);
}

pid$target:a.out:eleven:entry
{
	printf("%d %d %d %d %d %d\n", args[0], args[5], args[6], args[8], args[9], args[10]);
	exit(0);
}
