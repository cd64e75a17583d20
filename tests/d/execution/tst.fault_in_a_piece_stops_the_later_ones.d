/*
 * A fault in one piece also stops the later pieces of that clause, not the next clause.
 *
 * opts: -q
 */

BEGIN
{
	x = 0;
	if (x == 0) {
		y = 1 / x;
	}
	printf("never\n");
}
BEGIN
{
	printf("next clause\n");
	exit(0);
}
