/*
 * ++ of an unknown variable declares a 64-bit one.
 *
 * opts: -q
 */

BEGIN { x++; ++y; z--; printf("%d %d %d %d\n", x, y, z, sizeof(x)); exit(0); }
