/*
 * $N is an integer when its text is one: decimal, octal, hex, with an optional sign.
 *
 * opts: -q
 * args: 10 010 0x10 +5
 */

BEGIN
{
	printf("%d\n", $1);
	printf("%d\n", $2);
	printf("%d\n", $3);
	printf("%d\n", $4);
	printf("%d\n", $1 + $2);
	exit(0);
}
