/*
 * Equal is not below.
 *
 * line: 10
 * message: lquantize( ) argument #2 (base) must be less than argument #3 (limit)
 */

BEGIN
{
	@ = lquantize(1, 10, 10);
}
