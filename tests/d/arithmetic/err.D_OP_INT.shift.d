/*
 * << needs integers.
 *
 * message: operator << requires operands of integral type
 * line: 10
 */

BEGIN
{
	trace(1 << "a");
}
