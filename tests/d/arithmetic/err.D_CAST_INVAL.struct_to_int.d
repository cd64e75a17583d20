/*
 * A struct is not cast to int.
 *
 * message: invalid cast expression: "struct s" to "int"
 * line: 11
 */

struct s { int a; } v;
BEGIN
{
	trace((int)v);
}
