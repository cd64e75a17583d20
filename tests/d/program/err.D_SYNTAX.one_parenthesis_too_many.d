/*
 * One closing bracket too many is said so.
 *
 * message: extra ) in input stream
 * line: 10
 */

BEGIN
{
	trace(1));
}
