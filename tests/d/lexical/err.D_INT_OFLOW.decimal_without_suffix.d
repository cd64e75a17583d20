/*
 * A decimal constant that fits 64 bits but no signed type needs a u.
 *
 * message: integer constant 0x8000000000000000 cannot be represented in any built-in integral type
 * line: 10
 */

BEGIN
{
	trace(9223372036854775808);
}
