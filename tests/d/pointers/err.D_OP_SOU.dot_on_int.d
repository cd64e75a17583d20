/*
 * . is applied to a struct or union.
 *
 * message: operator . cannot be applied to type "int"; must be applied to a struct or union
 * line: 11
 */

int x;
BEGIN
{
	trace(x.y);
}
