/*
 * dirname is the text before the last component.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", dirname("/usr/lib/"));
	printf("%s\n", dirname("/usr/lib"));
	printf("%s\n", dirname("/a/b/"));
	printf("%s\n", dirname("/a"));
	printf("%s\n", dirname("a"));
	printf("%s\n", dirname("/"));
	printf("%s\n", dirname(""));
	printf("%s\n", dirname("a/b"));
	exit(0);
}
