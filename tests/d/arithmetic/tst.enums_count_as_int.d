/*
 * Enums count as int.
 *
 * opts: -q
 */

enum color { RED, GREEN = 5, BLUE };
enum color c;
BEGIN
{
	c = BLUE;
	printf("%d\n", c);
	printf("%d\n", c + 1);
	printf("%d\n", RED);
	printf("%d\n", GREEN * 2);
	printf("%d\n", sizeof(c));
	c = 77;
	printf("%d\n", c);
	printf("%d\n", c == BLUE);
	exit(0);
}
