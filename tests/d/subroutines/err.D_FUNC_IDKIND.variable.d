/*
 * A declared variable is not called.
 *
 * message: scalar 'x' may not be referenced as a function
 * line: 11
 */

int x;
BEGIN
{
	x(1);
}
