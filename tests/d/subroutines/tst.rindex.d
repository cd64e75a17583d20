/*
 * rindex finds the last occurrence that starts at or before start.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", rindex("banana", "an"));
	printf("%d\n", rindex("banana", "an", 2));
	printf("%d\n", rindex("banana", "an", 0));
	printf("%d\n", rindex("banana", "a"));
	printf("%d\n", rindex("banana", "x"));
	printf("%d\n", rindex("banana", "b", 100));
	printf("%d\n", rindex("banana", "b", -1));
	printf("%d\n", rindex("abc", "", 7));
	printf("%d\n", rindex("abc", "", -3));
	printf("%d\n", rindex("abc", ""));
	exit(0);
}
