/*
 * An empty operand is the empty string.
 *
 * opts: -q
 * args: ''
 */

BEGIN
{
	printf("[%s]\n", $1);
	printf("[%s]\n", $$1);
	exit(0);
}
