/*
 * The sides of ?: must have compatible types.
 *
 * message: operator ?: operands must have compatible types
 * line: 10
 */

BEGIN
{
	trace(pid ? 1 : "a");
}
