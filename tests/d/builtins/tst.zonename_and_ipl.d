/*
 * At user level zonename is global and ipl 0.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", zonename);
	printf("%d\n", ipl);
	exit(0);
}
