/*
 * An enumerator is a constant.
 *
 * line: 11
 * message: operator = requires modifiable lvalue as an operand
 */

enum e { A };
BEGIN
{
	A = 1;
}
