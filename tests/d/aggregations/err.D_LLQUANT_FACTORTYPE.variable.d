/*
 * The factor is an integer constant.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, pid, 0, 3, 10);
}
