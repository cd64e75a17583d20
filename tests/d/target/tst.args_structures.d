/*
 * Structures by value: of up to 16 bytes in registers, larger ones on the stack; results in two
 * registers or in memory.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:sum_pairs:entry
{
	printf("%d %d %d %d\n", args[0].a, args[0].b, args[1].c, args[1].s);
	this->copy = args[0];
	printf("%d\n", this->copy.b);
}

pid$target:a.out:sum_pairs:return
{
	printf("%d %d\n", args[1].a, args[1].b);
}

pid$target:a.out:grow:entry
{
	printf("%d %d %d\n", args[0].v[0], args[0].v[4], args[1]);
}

pid$target:a.out:grow:return
{
	printf("%d %d\n", args[1].v[0], args[1].v[4]);
}

pid$target:a.out:combine:entry
{
	printf("%d %d\n", args[1].x, args[1].y);
	exit(0);
}
