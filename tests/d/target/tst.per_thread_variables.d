/*
 * A variable that each thread has is that of the thread that fires; without a thread it is nowhere.
 *
 * target: types
 * opts: -q
 */

BEGIN
{
	printf("%d\n", `per_thread);
}

ERROR
{
	printf("fault %d\n", arg4);
}

pid$target:a.out:nothing:entry
{
	printf("%d %d\n", `per_thread, *&`per_thread);
	n++;
}

pid$target:a.out:nothing:entry
/n == 2/
{
	exit(0);
}
