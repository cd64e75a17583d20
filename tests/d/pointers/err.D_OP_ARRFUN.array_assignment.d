/*
 * An array is not assigned.
 *
 * message: operator = may not be applied to operand of type "int [3]"
 * line: 12
 */

int a[3];
int b[3];
BEGIN
{
	a = b;
}
