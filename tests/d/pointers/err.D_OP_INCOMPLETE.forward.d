/*
 * A forward declaration has no members.
 *
 * message: operator -> cannot be applied to a forward declaration: no struct nodef definition is available
 * line: 11
 */

struct nodef *p;
BEGIN
{
	trace(p->x);
}
