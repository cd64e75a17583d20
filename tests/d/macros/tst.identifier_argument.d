/*
 * $N is an identifier when its text is one.
 *
 * opts: -q
 * args: abc
 */

BEGIN
{
	abc = 7;
	printf("%d\n", $1);
	$1 = 8;
	printf("%d\n", abc);
	printf("%s\n", $$1);
	exit(0);
}
