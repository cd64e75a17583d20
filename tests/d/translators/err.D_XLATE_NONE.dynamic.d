/*
 * What is translated already has no type to translate from.
 *
 * line: 13
 * message: cannot translate from "pointer to translated data" to "struct o"
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	trace(xlate <struct o>(xlate <struct o *>(1)).m);
}
