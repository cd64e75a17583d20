/*
 * Another character behind a backslash is kept together with it.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", strlen("\q"));
	printf("%s\n", "\q");
	printf("%d\n", strlen("\'"));
	exit(0);
}
