/*
 * Global, self-> and this-> names are separate.
 *
 * opts: -q
 */

int x;
self string x;
this char x;
BEGIN
{
	x = 1;
	self->x = "two";
	this->x = 3;
	printf("%d %s %d\n", x, self->x, this->x);
	exit(0);
}
