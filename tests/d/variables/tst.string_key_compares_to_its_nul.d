/*
 * String keys are equal when their texts are.
 *
 * opts: -q
 */

string s;
BEGIN
{
	s = "longer text";
	s = "key";
	a[s] = 1;
	printf("%d\n", a["key"]);
	printf("%d\n", a[strjoin("k", "ey")]);
	printf("%d\n", a["key2"]);
	exit(0);
}
