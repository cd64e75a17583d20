/*
 * ++ writes too.
 *
 * line: 10
 * message: operator ++ can only be applied to a writable variable
 */

BEGIN
{
	pid++;
}
