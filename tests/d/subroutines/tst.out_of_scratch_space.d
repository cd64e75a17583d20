/*
 * When scratch is used up the clause faults and nothing of it is recorded.
 *
 * opts: -q
 */

BEGIN
{
	n = 1;
}

BEGIN
{
	printf("not recorded\n");
	this->p = alloca(n * 1000000000);
}
ERROR
{
	printf("%d\n", arg4);
	exit(0);
}
