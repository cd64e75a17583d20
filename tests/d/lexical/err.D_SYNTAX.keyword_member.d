/*
 * Keywords cannot be declared as members.
 *
 * message: syntax error near "probe"
 * line: 8
 */

struct s { int probe; };
BEGIN
{
	trace(1);
}
