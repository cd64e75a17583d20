/*
 * Unary - needs an arithmetic operand.
 *
 * message: operator - requires an operand of arithmetic type
 * line: 10
 */

BEGIN
{
	trace(-execname);
}
