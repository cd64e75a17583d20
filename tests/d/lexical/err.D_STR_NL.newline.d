/*
 * A newline cannot stand in a string; the error names the line after the open quote's.
 *
 * message: newline encountered in string literal
 * line: 11
 */

BEGIN
{
	trace("abc
	);
}
