/*
 * A record that finds no room in its speculation is a speculative drop; those before it stay.
 *
 * opts: -q -x specsize=500 -x droptags
 */

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
	printf("%s\n", "first");
}

BEGIN
{
	speculate(self->s);
	printf("%s\n", "second");
}

BEGIN
{
	commit(self->s);
}

BEGIN
{
	exit(0);
}
