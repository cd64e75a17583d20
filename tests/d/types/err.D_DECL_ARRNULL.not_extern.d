/*
 * An array of the program needs one.
 *
 * message: array declaration requires array dimension or tuple signature: a
 * line: 8
 */

int a[];

BEGIN
{
	exit(0);
}
