/*
 * Strings are stored and copied by value.
 *
 * opts: -q
 */

BEGIN
{
	s = "one";
	t = s;
	s = "two";
	printf("%s %s\n", s, t);
	a[1] = s;
	s = "three";
	printf("%s %s\n", a[1], s);
	exit(0);
}
