/*
 * So is the remainder.
 *
 * message: expression contains division by zero
 * line: 10
 */

BEGIN
{
	trace(1 % 0);
}
