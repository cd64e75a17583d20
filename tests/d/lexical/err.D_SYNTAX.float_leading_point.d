/*
 * .5f is a floating-point constant too.
 *
 * message: floating-point constants are not permitted
 * line: 10
 */

BEGIN
{
	trace(.5f);
}
