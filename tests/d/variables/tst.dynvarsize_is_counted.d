/*
 * dynvarsize has room for as many thread-local variables as their largest value goes into it.
 *
 * opts: -q -x dynvarsize=15
 */

BEGIN
{
	self->a = 1;
	self->b = 2;
	self->c = 3;
	self->d = 4;
	printf("%d %d %d %d\n", self->a, self->b, self->c, self->d);
	self->a = 0;
	self->d = 5;
	printf("%d %d %d %d\n", self->a, self->b, self->c, self->d);
	exit(0);
}
