/*
 * 1e3 is a floating-point constant too.
 *
 * message: floating-point constants are not permitted
 * line: 10
 */

BEGIN
{
	trace(1e3);
}
