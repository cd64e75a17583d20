/*
 * With argref an operand need not be used.
 *
 * opts: -q -x argref
 * args: unused
 */

BEGIN
{
	printf("ok\n");
	exit(0);
}
