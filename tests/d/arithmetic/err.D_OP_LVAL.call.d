/*
 * The result of a function is not assigned.
 *
 * line: 10
 * message: operator = requires modifiable lvalue as an operand
 */

BEGIN
{
	rand() = 1;
}
