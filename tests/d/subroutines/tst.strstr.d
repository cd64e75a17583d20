/*
 * strstr gives the rest of the string from the other, NULL when it is absent.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", strstr("banana", "nan"));
	printf("%s\n", strstr("banana", ""));
	printf("%s\n", strstr("banana", "banana"));
	printf("%d\n", strstr("banana", "nab") == NULL);
	printf("%d\n", strstr("", "a") == NULL);
	exit(0);
}
