/*
 * basename is the text after the last slash, trailing slashes dropped.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", basename("/usr/lib/"));
	printf("%s\n", basename("/usr/lib"));
	printf("%s\n", basename("file"));
	printf("%s\n", basename(""));
	printf("%s\n", basename("/"));
	printf("%s\n", basename("///"));
	printf("%s\n", basename("a//"));
	printf("%s\n", basename("/a/b//c"));
	exit(0);
}
