/*
 * Only the constant 0 frees.
 *
 * message: operands have incompatible types: "struct s" = "int"
 * line: 12
 */

struct s { int i; } x[int];

BEGIN
{
	x[1] = 1;
}
