/*
 * The low magnitude is an integer constant.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 10, pid, 3, 10);
}
