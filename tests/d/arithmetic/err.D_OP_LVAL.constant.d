/*
 * A constant is not assigned.
 *
 * line: 10
 * message: operator = requires modifiable lvalue as an operand
 */

BEGIN
{
	1 = 2;
}
