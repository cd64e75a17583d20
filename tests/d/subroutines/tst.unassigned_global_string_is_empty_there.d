/*
 * A declared but unassigned global string is the empty string for subroutines.
 *
 * opts: -q
 */

string s;
BEGIN
{
	printf("%d\n", strlen(s));
	printf("[%s]\n", strjoin(s, "x"));
	printf("[%s]\n", toupper(s));
	exit(0);
}
