/*
 * What is smaller than a register is cut to its size and extended by its sign.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:narrow:entry
{
	printf("%d %d %d %u\n", args[0], args[1], args[2], args[3]);
}

pid$target:a.out:narrow:return
{
	printf("%d\n", args[1]);
	exit(0);
}
