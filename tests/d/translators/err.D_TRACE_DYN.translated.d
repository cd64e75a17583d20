/*
 * A translation has no value of its own.
 *
 * line: 13
 * message: trace( ) may not be applied to a dynamic expression
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	trace(xlate <struct o *>(1));
}
