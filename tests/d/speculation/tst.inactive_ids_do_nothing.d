/*
 * speculate() of 0 or of an ID that is not active: the clause ends there, what it would
 * assign behind it too. commit() and discard() of one: nothing happens.
 *
 * opts: -q
 */

BEGIN
{
	x = 1;
	speculate(0);
	printf("lost");
	x = 100;
}

BEGIN
{
	speculate(1);
	printf("lost");
	x += 100;
}

BEGIN
{
	speculate(99);
	printf("lost");
	x += 100;
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
