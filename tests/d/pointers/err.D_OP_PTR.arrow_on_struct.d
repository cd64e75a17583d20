/*
 * -> is applied to a pointer.
 *
 * message: operator -> must be applied to a pointer
 * line: 12
 */

struct s { int a; };
struct s v;
BEGIN
{
	trace(v->a);
}
