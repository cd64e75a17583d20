/*
 * A digit outside the base is refused.
 *
 * message: constant 0289 contains invalid digit 8
 * line: 10
 */

BEGIN
{
	trace(0289);
}
