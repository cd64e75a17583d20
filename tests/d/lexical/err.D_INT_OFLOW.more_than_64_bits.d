/*
 * A constant of more than 64 bits is refused.
 *
 * message: constant 0x11112222333344445 results in integer overflow
 * line: 10
 */

BEGIN
{
	trace(0x11112222333344445);
}
