/*
 * normalize needs a factor.
 *
 * line: 10
 */

BEGIN
{
	@a = count();
	normalize(@a);
}
