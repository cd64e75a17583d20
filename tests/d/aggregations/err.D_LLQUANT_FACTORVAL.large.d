/*
 * The factor is at most 65535.
 *
 * line: 10
 * message: llquantize( ) argument #2 (factor) must be between 2 and 65535
 */

BEGIN
{
	@ = llquantize(1, 70000, 0, 3, 10);
}
