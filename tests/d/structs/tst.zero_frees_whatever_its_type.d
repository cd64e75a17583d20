/*
 * A constant 0 may be assigned to an array element and a thread-local variable of any type.
 *
 * opts: -q
 */

struct s { int i; string t; } c[int];
self struct s e, g[int];
self int numbers[5];
string str[int];
self string text;
self char *p;
self stack frames;
self _symaddr where;

BEGIN
{
	c[1].i = 5;
	c[1].t = "x";
	c[1] = 0;
	c[1].t = "y";
	self->e.i = 6;
	self->e = NULL;
	self->e.t = "z";
	self->g[1].i = 7;
	self->g[1] = 0;
	self->g[1].t = "z";
	self->numbers[1] = 3;
	self->numbers = 0;
	self->numbers[2] = 3;
	printf("%d %d %d %d\n", c[1].i, self->e.i, self->g[1].i, self->numbers[1]);
	str[1] = "a";
	str[1] = 0;
	self->text = "b";
	self->text = 0;
	self->p = 0;
	self->frames = 0;
	self->where = 0;
	printf("%d %d %d\n", str[1] == NULL, str[2] == NULL, self->text == NULL);
	c[1] = 0;
}

BEGIN
{
	trace(c[1].i);
}

ERROR
{
	printf("fault %d\n", arg4);
	exit(0);
}
