/*
 * A macro variable must be one that exists.
 *
 * message: macro variable $nosuch is not defined
 * line: 10
 */

BEGIN
{
	trace($nosuch);
}
