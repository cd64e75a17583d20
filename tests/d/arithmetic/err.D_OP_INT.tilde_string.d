/*
 * ~ needs an integer.
 *
 * message: operator ~ requires an operand of integral type
 * line: 10
 */

BEGIN
{
	trace(~execname);
}
