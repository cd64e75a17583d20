/*
 * An aggregation cannot be read.
 *
 * line: 10
 */

BEGIN
{
	@a = count();
	x = @a;
}
