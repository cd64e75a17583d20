/*
 * There is no widening to int: char + char has type char.
 *
 * opts: -q
 */

char c;
char d;
BEGIN
{
	c = 100;
	d = 100;
	printf("%d\n", c + d);
	printf("%d\n", sizeof(c + d));
	printf("%d\n", (char)100 + (char)100);
	c = 1;
	printf("%d\n", c + 300);
	printf("%d\n", sizeof(c + 300));
	exit(0);
}
