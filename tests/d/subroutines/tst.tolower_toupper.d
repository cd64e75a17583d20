/*
 * tolower and toupper change ASCII letters only.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", toupper("aBc-1z"));
	printf("%s\n", tolower("AbC-1Z"));
	printf("%s\n", toupper("\351"));
	exit(0);
}
