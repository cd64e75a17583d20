/*
 * What was never assigned is an int64_t global of value 0 under - + ~ and !; an element declares its
 * array by its keys.
 *
 * opts: -q
 */

BEGIN
{
	trace(!pending[pid, "x"]);
	pending[pid, "x"] = 0x123456789a;
	trace(!pending[pid, "x"]);
	trace(sizeof(pending[1, ""]));
	printf("\n%d %d %d %d\n", -a, ~self->b, !this->c, +self->d[1]);
	a = 1 << 20;
	a *= a;
	self->b = a;
	this->c = a;
	self->d[3] = a;
	printf("%d %d %d %d\n", a, self->b, this->c, self->d[3]);
	exit(0);
}
