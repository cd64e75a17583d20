/*
 * * needs arithmetic operands.
 *
 * message: operator * requires operands of arithmetic type
 * line: 10
 */

BEGIN
{
	trace(2 * execname);
}
