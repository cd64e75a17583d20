/*
 * What a pointer to a forward declaration leads to has no size.
 *
 * line: 11
 * message: operator * cannot be applied to a forward declaration: no struct nodef definition is available
 */

struct nodef *p;
BEGIN
{
	trace(*p);
}
