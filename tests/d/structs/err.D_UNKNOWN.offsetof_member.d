/*
 * offsetof needs a member that exists.
 *
 * message: failed to determine offset of x: Member name not found.
 * line: 11
 */

struct s { int a; };
BEGIN
{
	trace(offsetof(struct s, x));
}
