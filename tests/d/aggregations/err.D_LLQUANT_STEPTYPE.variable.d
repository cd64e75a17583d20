/*
 * The number of steps is a positive constant.
 *
 * line: 9
 */

BEGIN
{
	@ = llquantize(1, 10, 0, 3, pid);
}
