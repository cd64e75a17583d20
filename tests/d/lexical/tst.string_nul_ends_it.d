/*
 * A NUL produced by an escape ends the string: "a\0b" is "a" and its sizeof is 2.
 *
 * opts: -q
 */

BEGIN
{
	printf("[%s]\n", "a\0b");
	printf("%d\n", strlen("a\0b"));
	printf("%d\n", sizeof("a\0b"));
	printf("[%s]\n", "\400x");
	printf("[%s]\n", "\x");
	exit(0);
}
