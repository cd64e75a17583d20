/*
 * rand gives numbers that differ.
 *
 * opts: -q
 */

BEGIN
{
	a = rand();
	b = rand();
	c = rand();
	printf("%d\n", a == b && b == c);
	printf("%d\n", sizeof(rand()));
	exit(0);
}
