/*
 * An aggregation printed with printa is not printed at the end; the flag is its own.
 *
 * opts: -q
 */

BEGIN
{
	@a = count();
	@b = sum(7);
	printa(@a);
	exit(0);
}
