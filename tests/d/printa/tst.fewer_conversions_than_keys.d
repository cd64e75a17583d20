/*
 * Fewer conversions than keys are allowed.
 *
 * opts: -q
 */

BEGIN
{
	@["a", 1] = count();
	@["a", 2] = count();
	printa("%s\n", @);
	exit(0);
}
