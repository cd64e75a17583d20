/*
 * A variable gets its type at its first assignment in the text; later values are converted.
 *
 * opts: -q
 */

BEGIN
{
	x = 1;
	x = 5000000000;
	printf("%d\n", x);
	printf("%d\n", sizeof(x));
	y = 5000000000;
	printf("%d\n", sizeof(y));
	s = "str";
	printf("%d\n", sizeof(s));
	c = (char)1;
	c = 300;
	printf("%d\n", c);
	exit(0);
}
