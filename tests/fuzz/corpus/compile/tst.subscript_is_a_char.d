/*
 * s[i] is the char at that index.
 *
 * opts: -q
 */

BEGIN
{
	s = "abc";
	printf("%d\n", s[0]);
	printf("%d\n", s[2]);
	printf("%d\n", sizeof(s[0]));
	printf("%c\n", s[1]);
	i = 1;
	printf("%d\n", s[i]);
	printf("%d\n", "xyz"[2]);
	exit(0);
}
