/*
 * Members that are not listed have no conversion.
 *
 * line: 13
 * message: translator does not define conversion for member: m
 */

struct o { int m; };
translator struct o < int i > { };

BEGIN
{
	trace(xlate <struct o *>(1)->m);
}
