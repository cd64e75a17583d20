/*
 * Only the last operand must be referenced.
 *
 * opts: -q
 * args: unused used
 */

BEGIN
{
	printf("%s\n", $$2);
	exit(0);
}
