/*
 * offsetof needs a struct or union.
 *
 * message: offsetof operand must be a struct or union type
 * line: 10
 */

BEGIN
{
	trace(offsetof(int, x));
}
