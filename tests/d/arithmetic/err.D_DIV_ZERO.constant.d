/*
 * Division by a constant zero is found by the compiler.
 *
 * message: expression contains division by zero
 * line: 10
 */

BEGIN
{
	trace(1 / 0);
}
