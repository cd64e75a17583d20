/*
 * + is not concatenation.
 *
 * message: operands have incompatible types: "string" + "string"
 * line: 10
 */

BEGIN
{
	trace("a" + "b");
}
