/*
 * Speculations still active at the end are lost silently; END may commit.
 *
 * opts: -q -x nspec=2
 */

BEGIN
{
	a = speculation();
	b = speculation();
}

BEGIN
{
	speculate(a);
	printf("a\n");
}

BEGIN
{
	speculate(b);
	printf("b\n");
	this->x = 1;
}

BEGIN
{
	exit(0);
}

END
{
	commit(b);
}

END
{
	printf("end\n");
}
