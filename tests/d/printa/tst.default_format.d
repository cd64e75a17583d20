/*
 * printa without a format prints a newline and the rows.
 *
 * opts: -q
 */

BEGIN
{
	@["a"] = sum(3);
	@["b"] = sum(1);
	printa(@);
	exit(0);
}
