/*
 * A variable may be declared again with the same type.
 *
 * opts: -q
 */

int x;
int x;
self int y;
self int y;
BEGIN
{
	x = 1;
	self->y = 2;
	printf("%d %d\n", x, self->y);
	exit(0);
}
