/*
 * Nothing is assigned to a whole array.
 *
 * message: operator = may not be applied to operand of type "int [5]"
 * line: 12
 */

int a[5], b[5];

BEGIN
{
	a = b;
}
