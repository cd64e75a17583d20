/*
 * A bit-field has no sizeof.
 *
 * message: cannot apply sizeof to a bit-field
 * line: 12
 */

struct s { int a:3; };
struct s v;
BEGIN
{
	trace(sizeof(v.a));
}
