/*
 * A text that begins with a digit but is no number is cut to its leading number.
 *
 * opts: -q
 * args: 1x
 */

BEGIN
{
	printf("%d\n", $1);
	printf("%s\n", $$1);
	exit(0);
}
