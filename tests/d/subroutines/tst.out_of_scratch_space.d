/*
 * When scratch is used up the clause faults and nothing of it is recorded.
 *
 * opts: -q
 */

BEGIN
{
	printf("not recorded\n");
	this->p = alloca(1000000000);
}
ERROR
{
	printf("%d\n", arg4);
	exit(0);
}
