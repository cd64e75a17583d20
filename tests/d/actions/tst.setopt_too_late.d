/*
 * An option that must be set before the start is refused.
 *
 * opts: -q
 */

BEGIN
{
	setopt("strsize", "8");
	setopt("bogus");
	exit(0);
}
