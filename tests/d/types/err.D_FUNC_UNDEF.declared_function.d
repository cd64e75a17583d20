/*
 * A declared function cannot be called.
 *
 * line: 10
 */

int f(int);
BEGIN
{
	trace(f(1));
}
