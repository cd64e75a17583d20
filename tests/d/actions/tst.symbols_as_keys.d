/*
 * sym-like values are keys, printed in 50 columns.
 *
 * opts: -q
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:six:entry
{
	@[usym(ucaller), umod(ucaller), ufunc(ucaller)] = count();
	exit(0);
}
