/*
 * %k shows a stack key in printa, %-Nk with another indent.
 *
 * opts: -q
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:leaf:entry
/!n++/
{
	@[ustack(1)] = count();
	printa("%k%@d\n", @);
	printa("%-3k%@d\n", @);
	exit(0);
}
