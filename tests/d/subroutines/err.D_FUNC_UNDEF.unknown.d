/*
 * A function must exist.
 *
 * message: undefined function name: nofunc
 * line: 10
 */

BEGIN
{
	nofunc(1);
}
