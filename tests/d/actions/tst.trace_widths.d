/*
 * trace prints by size and sign: widths 3, 5, 10 and 19, an unsigned 64-bit value 20.
 */

BEGIN
{
	trace((char)-1);
	trace((uint8_t)200);
	trace((short)-2);
	trace(-3);
	trace(4294967295U);
	trace(-4LL);
	trace(strlen("abc"));
	exit(0);
}
