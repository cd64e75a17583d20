/*
 * The same member twice is accepted.
 *
 * opts: -q
 */

struct o { int a; };
translator struct o < int p > { a = p; a = p + 1; };

BEGIN
{
	trace(xlate <struct o>(1).a);
	v = xlate <struct o>(1);
	trace(v.a);
	exit(0);
}
