/*
 * Unary - and ~ keep the operand's type, ! gives int.
 *
 * opts: -q
 */

char c;
BEGIN
{
	c = 1;
	printf("%d\n", sizeof(-c));
	printf("%d\n", sizeof(~c));
	printf("%d\n", sizeof(!c));
	printf("%d\n", -c);
	printf("%d\n", ~c);
	exit(0);
}
