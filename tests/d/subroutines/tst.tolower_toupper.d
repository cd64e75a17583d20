/*
 * tolower and toupper change ASCII letters only.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", toupper("aBc-1z"));
	printf("%s\n", tolower("AbC-1Z"));
	printf("%d\n", toupper("\351") == "\351");
	exit(0);
}
