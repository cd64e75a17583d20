/*
 * It is the name of a probe.
 *
 * message: emit( ) argument #1 must be the name of an event: letters, digits, '_', '-' and '.'
 * line: 10
 */

BEGIN
{
	emit("two words");
}
