/*
 * An action is no value.
 *
 * line: 9
 */

BEGIN
{
	trace(exit(1));
}
