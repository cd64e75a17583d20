/*
 * tracemem needs a constant size.
 *
 * line: 9
 */

BEGIN
{
	tracemem(1, pid);
}
