/*
 * A pointer is not assigned to an integer.
 *
 * message: operands have incompatible types: "long" = "int *"
 * line: 12
 */

int *p;
long i;
BEGIN
{
	i = p;
}
