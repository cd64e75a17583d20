/*
 * strlen is the length without the NUL.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", strlen(""));
	printf("%d\n", strlen("abc"));
	printf("%d\n", strlen(strjoin("abc", "def")));
	printf("%d\n", sizeof(strlen("")));
	exit(0);
}
