/*
 * An unknown pragma of D is an error.
 *
 * message: invalid D pragma: foo
 * line: 8
 */

#pragma D foo
BEGIN
{
	exit(0);
}
