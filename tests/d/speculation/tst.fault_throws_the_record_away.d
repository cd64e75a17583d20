/*
 * A fault in a clause that speculates throws its record away and leaves the others.
 *
 * opts: -q
 */

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	printf("kept\n");
}

BEGIN
{
	speculate(self->s);
	printf("lost\n");
	this->x = 1 / (self->s - self->s);
}

BEGIN
{
	commit(self->s);
}

BEGIN
{
	exit(0);
}
