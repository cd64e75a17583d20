/*
 * An integer variable is not assigned to a pointer without a cast.
 *
 * message: operands have incompatible types: "int *" = "int"
 * line: 12
 */

int *p;
int i;
BEGIN
{
	p = i;
}
