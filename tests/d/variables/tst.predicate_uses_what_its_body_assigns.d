/*
 * A predicate may use a variable first assigned in its body: the body is compiled first.
 *
 * opts: -q
 */

BEGIN
/x == 0/
{
	x = 1;
	printf("first\n");
}
BEGIN
/x == 1/
{
	printf("second\n");
	exit(0);
}
