/*
 * Flags, width and size of a conversion apply to the value of an aggregation.
 *
 * opts: -q
 */

BEGIN
{
	@["a"] = sum(-42);
	@["b"] = sum(255);
	printa("[%s|%@d|%@6d|%-@6d|%@+d]\n", @);
	printa("[%s|%@u|%@x|%@#x|%@o|%@08d]\n", @);
	printa("[%5s]\n", @);
	exit(0);
}
