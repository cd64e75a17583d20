/*
 * s + 2 begins two bytes further in; *"a" is 97.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", "abc" + 1);
	printf("%d\n", *"a");
	s = "hello";
	printf("%s\n", s + 3);
	exit(0);
}
