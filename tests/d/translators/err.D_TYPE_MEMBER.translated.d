/*
 * A member that the output does not have is unknown.
 *
 * line: 13
 * message: zz is not a member of struct o
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	trace(xlate <struct o>(1).zz);
}
