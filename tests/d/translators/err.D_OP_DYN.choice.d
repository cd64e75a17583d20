/*
 * Translations may not be chosen between.
 *
 * line: 13
 * message: operator ?: operands cannot be of dynamic type
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	x = (pid ? xlate <struct o *>(1) : xlate <struct o *>(2))->m;
}
