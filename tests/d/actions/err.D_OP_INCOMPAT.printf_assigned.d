/*
 * printf gives nothing to assign.
 *
 * message: operands have incompatible types: "int" = "void"
 * line: 11
 */

int x;
BEGIN
{
	x = printf("a");
}
