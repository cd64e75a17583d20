/*
 * The number of trunc is a number.
 *
 * line: 10
 */

BEGIN
{
	@a = count();
	trunc(@a, "x");
}
