/*
 * A string is not cast to a pointer.
 *
 * message: invalid cast expression: "string" to "char *"
 * line: 10
 */

BEGIN
{
	trace((char *)execname);
}
