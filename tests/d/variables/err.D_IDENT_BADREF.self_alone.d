/*
 * self is followed by ->.
 *
 * message: pointer 'self' may not be referenced as scalar
 * line: 10
 */

BEGIN
{
	trace(self);
}
