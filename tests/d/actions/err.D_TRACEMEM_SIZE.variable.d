/*
 * tracemem needs a constant size.
 *
 * line: 10
 * message: tracemem( ) argument #2 must be a non-zero positive integral constant expression
 */

BEGIN
{
	tracemem(1, pid);
}
