/*
 * A void pointer is not used in arithmetic.
 *
 * message: operands have incompatible types: "void *" + "int"
 * line: 11
 */

void *p;
BEGIN
{
	trace(p + 1);
}
