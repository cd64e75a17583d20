/*
 * The factor is at least 2.
 *
 * line: 10
 * message: llquantize( ) argument #2 (factor) must be between 2 and 65535
 */

BEGIN
{
	@ = llquantize(1, 1, 0, 3, 10);
}
