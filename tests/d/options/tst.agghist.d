/*
 * Counts and sums are drawn as bars; what is negative goes to the left.
 *
 * opts: -q -x agghist
 */

BEGIN
{
	@["one"] = sum(10);
	@["three"] = sum(30);
	@two[1, "x"] = sum(10);
	@two[2, "y"] = sum(-30);
	@max["not a sum"] = max(3);
	exit(0);
}
