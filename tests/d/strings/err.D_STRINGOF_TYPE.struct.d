/*
 * stringof does not apply to a struct.
 *
 * message: cannot apply stringof to a value of type struct s
 * line: 12
 */

struct s { int a; };
struct s v;
BEGIN
{
	trace(stringof(v));
}
