/*
 * speculate may not follow data-recording actions.
 *
 * line: 10
 */

BEGIN
{
	trace(1);
	speculate(1);
}
