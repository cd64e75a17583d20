/*
 * speculate() of 0 or of an ID that is not active: the data of the clause is not recorded, the
 * clause goes on. commit() and discard() of one: nothing happens.
 *
 * opts: -q
 */

BEGIN
{
	speculate(0);
	printf("lost");
	x = 1;
}

BEGIN
{
	speculate(1);
	printf("lost");
	x++;
}

BEGIN
{
	speculate(99);
	printf("lost");
	x++;
}

BEGIN
{
	commit(0);
	commit(1);
	commit(1);
	discard(0);
	discard(1);
}

BEGIN
{
	printf("%d\n", x);
	exit(0);
}
