/*
 * Strings compare byte by byte, unsigned.
 *
 * opts: -q
 */

string s;
string u;
BEGIN
{
	s = "beta";
	u = "\377";
	printf("%d\n", s == "beta");
	printf("%d\n", s != "beta");
	printf("%d\n", s < "gamma");
	printf("%d\n", s > "alpha");
	printf("%d\n", s <= "beta");
	printf("%d\n", s >= "bet");
	printf("%d\n", "" < "a");
	printf("%d\n", "abc" < "abcd");
	printf("%d\n", "Z" < "a");
	printf("%d\n", u > "a");
	exit(0);
}
