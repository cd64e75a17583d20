/*
 * A predicate does not end while a parenthesis is open.
 *
 * line: 9
 * message: closing ) expected in predicate before /
 */

BEGIN
/(pid == 1/
{
	exit(0);
}
