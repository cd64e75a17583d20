/*
 * $$N is always a string with the text unchanged; $N is one when it is neither number nor
 * name.
 *
 * opts: -q
 * args: 10 "a b" '"quoted"'
 */

BEGIN
{
	printf("%s\n", $$1);
	printf("%s\n", $2);
	printf("%s\n", $$2);
	printf("%s\n", $3);
	printf("%s\n", $$3);
	exit(0);
}
