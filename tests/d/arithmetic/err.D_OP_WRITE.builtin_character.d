/*
 * A character of a built-in string is read-only as well.
 *
 * line: 10
 * message: operator = can only be applied to a writable variable
 */

BEGIN
{
	execname[0] = 1;
}
