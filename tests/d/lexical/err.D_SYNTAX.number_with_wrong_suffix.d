/*
 * The token shown is what the lexer last matched: the rest of the identifier and what follows.
 *
 * message: syntax error near "abc);"
 * line: 10
 */

BEGIN
{
	trace(12abc);
}
