/*
 * Adjacent literals are not joined.
 *
 * message: syntax error near ""b""
 * line: 10
 */

BEGIN
{
	trace("a" "b");
}
