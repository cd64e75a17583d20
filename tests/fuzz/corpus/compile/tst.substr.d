/*
 * substr follows Perl: a negative index counts from the end, a negative length leaves that
 * many off.
 *
 * opts: -q
 */

BEGIN
{
	printf("[%s]\n", substr("abcdef", 2));
	printf("[%s]\n", substr("abcdef", -2));
	printf("[%s]\n", substr("abcdef", 1, -2));
	printf("[%s]\n", substr("abcdef", -8, 4));
	printf("[%s]\n", substr("abcdef", 6));
	printf("[%s]\n", substr("abcdef", -8, 2));
	printf("[%s]\n", substr("abcdef", 2, -9));
	printf("[%s]\n", substr("abcdef", -8));
	printf("[%s]\n", substr("abcdef", -3, -1));
	printf("[%s]\n", substr("abcdef", 2, 100));
	printf("[%s]\n", substr("abcdef", 0, 0));
	printf("[%s]\n", substr("abcdef", 0, 1));
	printf("[%s]\n", substr("", 0));
	exit(0);
}
