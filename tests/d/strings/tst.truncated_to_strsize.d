/*
 * A longer source is truncated silently to strsize characters.
 *
 * opts: -q -x strsize=5
 */

BEGIN
{
	x = "abcdefgh";
	printf("%s\n", x);
	printf("%d\n", strlen("abcdefg"));
	printf("%d\n", sizeof(string));
	printf("%d\n", x == "abcd");
	exit(0);
}
