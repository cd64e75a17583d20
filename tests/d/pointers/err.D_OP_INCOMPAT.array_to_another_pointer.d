/*
 * The address of its first element has the type of that element.
 *
 * message: operands have incompatible types: "char *" = "int [5]"
 * line: 13
 */

int a[5];
char *p;

BEGIN
{
	p = a;
}
