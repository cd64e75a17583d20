/*
 * >> of a signed number is arithmetic.
 *
 * opts: -q
 */

BEGIN { x = -8; printf("%d %d %d\n", x >> 1, -1 >> 63, (uint32_t)x >> 1); exit(0); }
