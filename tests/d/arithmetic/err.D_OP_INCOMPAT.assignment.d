/*
 * A variable keeps its first type.
 *
 * message: operands have incompatible types: "int" = "string"
 * line: 11
 */

BEGIN
{
	x = 1;
	x = "a";
}
