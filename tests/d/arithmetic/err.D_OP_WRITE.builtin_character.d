/*
 * A character of a built-in string is read-only as well.
 *
 * line: 9
 */

BEGIN
{
	execname[0] = 1;
}
