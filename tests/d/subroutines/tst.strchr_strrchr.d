/*
 * strchr and strrchr give the rest of the string from the character, NULL when it is absent.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", strchr("hello", 'l'));
	printf("%s\n", strrchr("hello", 'l'));
	printf("%s\n", strchr("hello", 'h'));
	printf("%d\n", strchr("hello", 'x') == NULL);
	printf("%d\n", strrchr("hello", 'x') == NULL);
	printf("%d\n", strchr("hello", '\0') == NULL);
	exit(0);
}
