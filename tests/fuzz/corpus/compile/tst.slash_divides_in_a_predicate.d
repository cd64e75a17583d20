/*
 * Inside a predicate a division works as long as the next character is none of { ; or /.
 *
 * opts: -q
 */

BEGIN
/ 10 / 5 == 2 /
{
	printf("true\n");
	exit(0);
}
