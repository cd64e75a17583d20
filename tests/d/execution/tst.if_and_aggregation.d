/*
 * Aggregations may stand in branches.
 *
 * opts: -q
 */

tick-1000hz
{
	n++;
	if (n % 2) {
		@["odd"] = count();
	} else {
		@["even"] = count();
	}
}
tick-1000hz
/n == 10/
{
	exit(0);
}
int n;
