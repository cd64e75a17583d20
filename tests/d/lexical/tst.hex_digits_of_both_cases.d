/*
 * Hex digits may be in both cases.
 *
 * opts: -q
 */

BEGIN { printf("%d %d %d\n", 0xFf, 0XaB, 0xdeadBEEF); exit(0); }
