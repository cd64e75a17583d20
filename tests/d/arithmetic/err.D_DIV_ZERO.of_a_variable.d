/*
 * Also of a variable.
 *
 * message: expression contains division by zero
 * line: 10
 */

BEGIN
{
	trace(pid / 0);
}
