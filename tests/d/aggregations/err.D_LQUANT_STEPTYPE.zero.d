/*
 * The step is a positive constant.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 0, 10, 0);
}
