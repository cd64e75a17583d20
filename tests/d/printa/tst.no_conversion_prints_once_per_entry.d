/*
 * A format without conversion is printed once per entry.
 *
 * opts: -q
 */

BEGIN
{
	@["a"] = count();
	@["b"] = count();
	printa("entry\n", @);
	exit(0);
}
