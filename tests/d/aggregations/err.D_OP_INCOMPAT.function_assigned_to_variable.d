/*
 * An aggregating function is assigned to an aggregation only.
 *
 * line: 10
 * message: operands have incompatible types: "scalar" = "aggregating function"
 */

BEGIN
{
	x = count();
}
