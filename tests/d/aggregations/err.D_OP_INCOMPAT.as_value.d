/*
 * An aggregation cannot be read.
 *
 * line: 11
 * message: operands have incompatible types: "scalar" = "aggregation"
 */

BEGIN
{
	@a = count();
	x = @a;
}
