/*
 * A boolean takes yes, no, on, off and their like in any case; a number always sets.
 *
 * opts: -x quiet=YES -x quiet=off -x quiet=Disabled -x quiet=0
 */

BEGIN
{
	trace(1);
	exit(0);
}
