/*
 * %% prints a percent.
 *
 * opts: -q
 */

BEGIN
{
	printf("100%%\n");
	exit(0);
}
