/*
 * An operand that begins with - follows --.
 *
 * opts: -q
 * args: -- -5
 */

BEGIN
{
	printf("%d\n", $1);
	exit(0);
}
