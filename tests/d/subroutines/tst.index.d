/*
 * index finds the first occurrence at or after start.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", index("banana", "an"));
	printf("%d\n", index("banana", "an", 2));
	printf("%d\n", index("banana", "x"));
	printf("%d\n", index("banana", "a", -5));
	printf("%d\n", index("banana", "banana"));
	printf("%d\n", index("banana", "bananas"));
	printf("%d\n", index("banana", "a", 6));
	printf("%d\n", index("abc", "", 3));
	printf("%d\n", index("abc", "", 7));
	printf("%d\n", index("abc", "", 1));
	printf("%d\n", index("abc", ""));
	exit(0);
}
