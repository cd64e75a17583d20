/*
 * The condition of ?: is a scalar.
 *
 * message: operator ?: expression must be of scalar type
 * line: 10
 */

BEGIN
{
	trace(execname ? 1 : 2);
}
