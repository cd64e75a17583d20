/*
 * Width pads a text with blanks, precision cuts it; other flags have no effect on it.
 *
 * opts: -q
 */

BEGIN
{
	printf("[%5s|%-5s|%05s|%+s|%#s]\n", "ab", "ab", "ab", "ab", "ab");
	printf("[%.1s|%5.1s|%-5.1s|%.0s|%.9s]\n", "ab", "ab", "ab", "ab", "ab");
	printf("[%*s|%-*s|%*s|%.*s]\n", 4, "ab", 4, "ab", -4, "ab", 1, "ab");
	printf("[%s|%5s]\n", "", "");
	exit(0);
}
