/*
 * A word that may be a type is shown with the rest of its line.
 *
 * message: syntax error near "foo + 3; exit(0);"
 * line: 10
 */

BEGIN
{
	x = 5 foo + 3; exit(0);
}
