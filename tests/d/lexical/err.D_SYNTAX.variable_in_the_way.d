/*
 * A variable is shown alone.
 *
 * message: syntax error near "uid"
 * line: 10
 */

BEGIN
{
	x = pid uid + 3; exit(0);
}
