/*
 * With strsize=8 a longer literal prints as its first 8 characters.
 *
 * opts: -q -x strsize=8
 */

BEGIN
{
	printf("[%s]\n", "abcdefghijk");
	printf("%d\n", strlen("abcdefghijk"));
	exit(0);
}
