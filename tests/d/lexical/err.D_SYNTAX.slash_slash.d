/*
 * // does not begin a comment.
 *
 * message: syntax error near "// *
 * line: 10
 */

BEGIN
{
	// no comment
	trace(1);
}
