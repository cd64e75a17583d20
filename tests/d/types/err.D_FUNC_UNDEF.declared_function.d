/*
 * A declared function cannot be called.
 *
 * line: 11
 * message: undefined function name: f
 */

int f(int);
BEGIN
{
	trace(f(1));
}
