/*
 * With nspec=0 there is none.
 *
 * opts: -q -x nspec=0 -x droptags
 */

BEGIN
{
	trace(speculation());
	exit(0);
}
