/*
 * %d and %i print by the declared sign.
 *
 * opts: -q
 */

BEGIN { printf("%d %d %i %i %u\n", 4294967295, (uint32_t)4294967295, 4294967295U, -1, -1); exit(0); }
