/*
 * The high magnitude is an integer constant.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 10, 0, pid, 10);
}
