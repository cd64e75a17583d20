/*
 * Floating-point constants are recognised only to be refused.
 *
 * message: floating-point constants are not permitted
 * line: 10
 */

BEGIN
{
	trace(1.5);
}
