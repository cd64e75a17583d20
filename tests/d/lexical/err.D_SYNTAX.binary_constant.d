/*
 * Binary constants do not exist: the constant ends after the 0.
 *
 * message: syntax error near "b11*
 * line: 10
 */

BEGIN
{
	trace(0b11);
}
