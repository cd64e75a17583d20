/*
 * agghist draws the values of a count or a sum as bars, of the total over all entries.
 *
 * opts: -q -x agghist
 */

BEGIN
{
	@["a"] = sum(3);
	@["b"] = sum(1);
	exit(0);
}
