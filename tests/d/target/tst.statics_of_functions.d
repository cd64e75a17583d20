/*
 * A variable that a function keeps goes by its name alone, as long as it is the only one.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:nothing:entry
{
	printf("%d %d\n", `calls, &`calls == &a.out`calls);
	n++;
}

pid$target:a.out:nothing:entry
/n == 2/
{
	exit(0);
}
