/*
 * Casting to a smaller integer truncates, then extends by the sign.
 *
 * opts: -q
 */

BEGIN { printf("%d %d %d %d\n", (char)200, (uint8_t)-1, (short)70000, (int)4294967295); exit(0); }
