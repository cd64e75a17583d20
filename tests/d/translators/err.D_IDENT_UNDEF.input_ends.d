/*
 * The input is known inside the translator only.
 *
 * line: 13
 * message: failed to resolve p: Unknown variable name
 */

struct o { int m; };
translator struct o < int p > { m = p; };

BEGIN
{
	trace(p);
}
