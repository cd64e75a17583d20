/*
 * cwd and root are directories of the process.
 *
 * opts: -q
 */

BEGIN
/index(cwd, "/") == 0/
{
	printf("%s\n", root);
	exit(0);
}
