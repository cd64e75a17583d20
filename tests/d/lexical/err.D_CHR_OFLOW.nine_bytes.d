/*
 * A character constant has at most eight bytes.
 *
 * message: character constant is too long
 * line: 10
 */

BEGIN
{
	trace('123456789');
}
