/*
 * Integer keys of 1 and 2 bytes are unsigned in 3 and 5 columns, of 4 and 8 bytes signed in 8 and 16.
 *
 * opts: -q
 */

BEGIN
{
	@[(char)-1, (short)-1, -1, -1LL] = sum(1);
	@[(uint8_t)200, (uint16_t)60000, 4000000000U, 18446744073709551615ULL] = sum(2);
	@[(char)0, (short)0, 0, 0LL] = sum(3);
	exit(0);
}
