/*
 * ~ needs an integer.
 *
 * message: unary operator ~ requires an operand of integral type
 * line: 10
 */

BEGIN
{
	trace(~execname);
}
