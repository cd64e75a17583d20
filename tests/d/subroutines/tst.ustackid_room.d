/*
 * Stacks that find no room as numbers are told as dynamic variable drops; their number is 0.
 *
 * opts: -q -x dynvarsize=200
 * target: t 100 1 quiet
 */
pid$target:a.out:recurse:entry
{
	@[ustackid() != 0] = count();
}
