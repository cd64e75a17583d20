/*
 * A translated pointer takes `->`, not `.`.
 *
 * line: 13
 * message: operator . cannot be applied to type "struct o *"; must be applied to a struct or union
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	trace(xlate <struct o *>(1).m);
}
