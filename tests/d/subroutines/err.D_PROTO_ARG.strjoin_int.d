/*
 * strjoin does not convert integers.
 *
 * line: 9
 */

BEGIN
{
	trace(strjoin("a", 1));
}
