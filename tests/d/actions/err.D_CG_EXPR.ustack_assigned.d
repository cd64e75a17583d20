/*
 * Nor is ustack().
 *
 * line: 9
 */

BEGIN
{
	x = ustack();
}
