/*
 * One newline is always printed at the end, with quiet too.
 *
 * opts: -q
 */

BEGIN
{
	exit(0);
}
