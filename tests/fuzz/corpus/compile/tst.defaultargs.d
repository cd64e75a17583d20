/*
 * With defaultargs an undefined $N is 0 and $$N the empty string.
 *
 * opts: -q -x defaultargs
 */

BEGIN
{
	printf("%d\n", $3);
	printf("[%s]\n", $$3);
	exit(0);
}
