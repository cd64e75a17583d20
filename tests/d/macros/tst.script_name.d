/*
 * $0 is the script's name as given; it need not be used.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", $$0);
	exit(0);
}
