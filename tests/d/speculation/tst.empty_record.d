/*
 * A clause with speculate() and no data action after it stores an empty record: a line with only
 * the prefix.
 *
 */

BEGIN
{
	self->s = speculation();
}

BEGIN
{
	speculate(self->s);
}

BEGIN
{
	commit(self->s);
}

BEGIN
{
	exit(0);
}
