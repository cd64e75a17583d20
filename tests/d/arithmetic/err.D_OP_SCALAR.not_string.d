/*
 * ! needs a scalar, and a string is none.
 *
 * message: operator ! requires an operand of scalar type
 * line: 10
 */

BEGIN
{
	trace(!execname);
}
