/*
 * Text order counts: the use stands before the assignment.
 *
 * message: failed to resolve x: Unknown variable name
 * line: 10
 */

BEGIN
{
	trace(x);
	x = 1;
}
