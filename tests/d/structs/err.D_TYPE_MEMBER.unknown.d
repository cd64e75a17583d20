/*
 * A member must exist.
 *
 * message: zz is not a member of struct s
 * line: 12
 */

struct s { int a; };
struct s v;
BEGIN
{
	trace(v.zz);
}
