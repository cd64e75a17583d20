/*
 * cleanpath removes //, /./ and /.. with its parent, by text alone.
 *
 * opts: -q
 */

BEGIN
{
	printf("[%s]\n", cleanpath("/a/../b//./c"));
	printf("[%s]\n", cleanpath("/a/b/../"));
	printf("[%s]\n", cleanpath("/a/b/.."));
	printf("[%s]\n", cleanpath("/.."));
	printf("[%s]\n", cleanpath("/../a"));
	printf("[%s]\n", cleanpath("a/../b"));
	printf("[%s]\n", cleanpath("a/.."));
	printf("[%s]\n", cleanpath("a/../.."));
	printf("[%s]\n", cleanpath("../../b/.."));
	printf("[%s]\n", cleanpath("./a"));
	printf("[%s]\n", cleanpath("a//b/"));
	printf("[%s]\n", cleanpath("//"));
	printf("[%s]\n", cleanpath(""));
	printf("[%s]\n", cleanpath("/a/b/c"));
	printf("[%s]\n", cleanpath("/a/./."));
	exit(0);
}
