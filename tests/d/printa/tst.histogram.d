/*
 * A histogram in a format prints its whole block.
 *
 * opts: -q
 */

BEGIN
{
	@["k"] = quantize(1);
	printa("%s%@d", @);
	exit(0);
}
