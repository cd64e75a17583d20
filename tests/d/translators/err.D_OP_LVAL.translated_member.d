/*
 * A translated member cannot be assigned to.
 *
 * line: 13
 * message: operator = requires modifiable lvalue as an operand
 */

struct o { int m; };
translator struct o < int i > { m = i; };

BEGIN
{
	xlate <struct o *>(1)->m = 2;
}
