/*
 * The base of lquantize is an integer constant.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, pid, 10);
}
