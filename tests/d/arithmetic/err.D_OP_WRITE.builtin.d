/*
 * A built-in variable is read-only.
 *
 * message: operator = can only be applied to a writable variable
 * line: 10
 */

BEGIN
{
	pid = 1;
}
