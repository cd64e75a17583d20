/*
 * Without a translator nothing is translated.
 *
 * line: 12
 * message: cannot translate from "int" to "struct o *"
 */

struct o { int m; };

BEGIN
{
	trace(xlate <struct o *>(1)->m);
}
