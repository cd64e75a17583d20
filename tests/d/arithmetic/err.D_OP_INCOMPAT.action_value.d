/*
 * An action's type is void.
 *
 * message: operands have incompatible types: "int" + "void"
 * line: 10
 */

BEGIN
{
	trace(1 + printf("a"));
}
