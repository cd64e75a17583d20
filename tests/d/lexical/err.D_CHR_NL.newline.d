/*
 * A newline cannot stand in a character constant; the error names the line after the open
 * quote's.
 *
 * message: newline encountered in character constant
 * line: 12
 */

BEGIN
{
	trace('a
	);
}
