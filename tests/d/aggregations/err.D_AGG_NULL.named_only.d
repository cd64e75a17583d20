/*
 * Naming an aggregation has no effect.
 *
 * message: expression has null effect: @a
 * line: 11
 */

BEGIN
{
	@a[1] = count();
	@a[1];
}
