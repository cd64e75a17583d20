/*
 * A character constant cannot be empty.
 *
 * message: empty character constant
 * line: 10
 */

BEGIN
{
	trace('');
}
