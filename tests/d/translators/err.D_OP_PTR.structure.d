/*
 * A translated structure takes `.`, not `->`.
 *
 * line: 13
 * message: operator -> must be applied to a pointer
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	trace(xlate <struct o>(1)->m);
}
