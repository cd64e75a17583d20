/*
 * An identifier argument is the variable of that name.
 *
 * args: abc
 * message: failed to resolve abc: Unknown variable name
 * line: 11
 */

BEGIN
{
	trace($1);
}
