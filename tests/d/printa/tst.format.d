/*
 * printa applies its format to each entry: plain conversions take the keys, %@ the value.
 *
 * opts: -q
 */

BEGIN
{
	@bytes["alpha"] = sum(120);
	@bytes["b"] = sum(7);
	printa("%-8s|%@6d|\n", @bytes);
	exit(0);
}
