/*
 * A word in front of an = is no type, and shown alone.
 *
 * message: syntax error near "foo"
 * line: 10
 */

BEGIN
{
	x = 5 foo = 3; exit(0);
}
