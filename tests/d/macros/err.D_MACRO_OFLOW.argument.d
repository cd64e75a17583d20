/*
 * An integer argument fits 64 bits.
 *
 * args: 99999999999999999999
 * message: macro argument $1 constant 99999999999999999999 results in integer overflow
 * line: 11
 */

BEGIN
{
	trace($1);
}
