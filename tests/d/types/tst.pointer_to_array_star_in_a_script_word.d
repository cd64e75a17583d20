/*
 * In a script a word up to its first * is tried as a type name: int*x declares a pointer.
 *
 * opts: -q
 */

int*x;
BEGIN
{
	printf("%d\n", sizeof(x));
	printf("%d\n", x == NULL);
	exit(0);
}
