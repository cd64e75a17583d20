/*
 * A constant is not assigned.
 *
 * line: 9
 */

BEGIN
{
	1 = 2;
}
