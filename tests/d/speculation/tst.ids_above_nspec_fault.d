/*
 * commit() and discard() of an ID above nspec fault with `illegal operation`.
 *
 * opts: -q -x nspec=2
 */

BEGIN
{
	commit(3);
}

BEGIN
{
	discard(3);
}

BEGIN
{
	commit(-1);
}

BEGIN
{
	exit(0);
}
