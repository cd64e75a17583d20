/*
 * A global structure is not freed.
 *
 * message: operands have incompatible types: "struct s" = "int"
 * line: 12
 */

struct s { int i; } x;

BEGIN
{
	x = 0;
}
