/*
 * strjoin concatenates.
 *
 * opts: -q
 */

BEGIN
{
	printf("[%s]\n", strjoin("foo", "bar"));
	printf("[%s]\n", strjoin("", ""));
	printf("[%s]\n", strjoin("a", ""));
	printf("[%s]\n", strjoin(strjoin("a", "b"), "c"));
	exit(0);
}
