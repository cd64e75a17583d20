/*
 * A digit outside the base is refused.
 *
 * message: constant 0129 contains invalid digit 9
 * line: 10
 */

BEGIN
{
	trace(0129);
}
