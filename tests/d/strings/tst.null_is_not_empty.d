/*
 * NULL equals only NULL and is less than every other string, also than the empty one.
 *
 * opts: -q
 */

string s;
BEGIN
{
	s = NULL;
	printf("%d\n", s == NULL);
	printf("%d\n", s == "");
	printf("%d\n", s < "");
	printf("%d\n", s != NULL);
	s = "";
	printf("%d\n", s == NULL);
	printf("%d\n", s == "");
	printf("%d\n", s == 0);
	exit(0);
}
