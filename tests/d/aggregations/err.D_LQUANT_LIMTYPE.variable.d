/*
 * The limit of lquantize is an integer constant.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 0, pid);
}
