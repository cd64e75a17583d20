/*
 * A speculation that finds no room in the principal buffer is lost: one principal drop.
 *
 * opts: -q -x bufsize=400
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
	printf("%d\n", speculation());
	exit(0);
}
