/*
 * A cleanrate below once per 60 s is increased.
 *
 * opts: -q -x cleanrate=2h
 */

BEGIN
{
	exit(0);
}
