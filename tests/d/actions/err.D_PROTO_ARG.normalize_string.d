/*
 * The factor of normalize is a number.
 *
 * line: 10
 */

BEGIN
{
	@a = count();
	normalize(@a, "x");
}
