/*
 * The operand is a scalar.
 *
 * message: sum( ) argument #1 must be of scalar type
 * line: 10
 */

BEGIN
{
	@a = sum(execname);
}
