/*
 * Equal is not below.
 *
 * line: 9
 */

BEGIN
{
	@ = lquantize(1, 10, 10);
}
