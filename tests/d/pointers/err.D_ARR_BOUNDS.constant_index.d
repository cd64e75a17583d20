/*
 * A constant index outside the array is found by the compiler.
 *
 * message: index outside array bounds: 3, max is 3
 * line: 11
 */

int a[3];
BEGIN
{
	trace(a[3]);
}
