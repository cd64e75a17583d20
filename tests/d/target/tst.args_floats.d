/*
 * Floating-point arguments and results, structures that lie half in a register of each kind, and what
 * is wider than a register.
 *
 * target: types
 * opts: -q
 */

pid$target:a.out:scale:entry
{
	printf("%f %d %g %d\n", args[0], args[1], args[2], args[3]);
	self->by = args[0];
}

pid$target:a.out:scale:return
{
	printf("%.2f, by %.1f\n", args[1], self->by);
}

pid$target:a.out:combine:entry
{
	printf("%d %g\n", args[0].a, args[0].b);
	print(args[0]);
	printf("\n");
}

pid$target:a.out:wide:entry
{
	printf("%Lg %d %d %d %d\n", args[0], args[1].low, args[1].high, args[2][0], args[2][3]);
	print(args[0]);
}

pid$target:a.out:wide:return
{
	printf("%.1Lf\n", args[1]);
	exit(0);
}
