/*
 * tracemem needs a positive constant size.
 *
 * message: tracemem( ) argument #2 must be a non-zero positive integral constant expression
 * line: 10
 */

BEGIN
{
	tracemem(1, 0);
}
