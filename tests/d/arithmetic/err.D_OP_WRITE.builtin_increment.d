/*
 * ++ writes too.
 *
 * line: 9
 */

BEGIN
{
	pid++;
}
