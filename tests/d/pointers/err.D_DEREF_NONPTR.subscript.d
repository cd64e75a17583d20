/*
 * A scalar with one subscript is plain indexing.
 *
 * message: cannot dereference non-pointer type
 * line: 11
 */

int x;
BEGIN
{
	x[1] = 1;
}
