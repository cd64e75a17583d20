/*
 * What was recorded after speculate() prints when it is committed, as records of its own clause;
 * what is discarded never does.
 *
 * opts: -x nspec=2
 */

BEGIN
{
	self->a = speculation();
	self->b = speculation();
	printf("%d %d", self->a, self->b);
}

BEGIN
{
	speculate(self->a);
	printf("in a");
	trace(1);
}

BEGIN
{
	speculate(self->b);
	printf("in b");
}

BEGIN
{
	printf("before");
}

BEGIN
{
	commit(self->a);
	discard(self->b);
	self->after = "commit stores no record";
}

BEGIN
{
	trace(self->after);
	exit(0);
}
