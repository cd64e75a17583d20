/*
 * The result of a function is not assigned.
 *
 * line: 9
 */

BEGIN
{
	rand() = 1;
}
