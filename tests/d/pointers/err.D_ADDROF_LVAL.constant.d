/*
 * A value has no address.
 *
 * message: unacceptable operand for unary & operator
 * line: 10
 */

BEGIN
{
	trace(&1);
}
