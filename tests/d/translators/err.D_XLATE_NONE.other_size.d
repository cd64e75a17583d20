/*
 * Integers of another size are another input.
 *
 * line: 13
 * message: cannot translate from "long" to "struct o"
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	trace(xlate <struct o>(1L).m);
}
