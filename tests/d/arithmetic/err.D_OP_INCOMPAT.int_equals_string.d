/*
 * An int is not compared with a string.
 *
 * message: operands have incompatible types: "int" == "string"
 * line: 10
 */

BEGIN
{
	trace(1 == "a");
}
