/*
 * With quiet the numbers stand bare.
 *
 * opts: -q
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
