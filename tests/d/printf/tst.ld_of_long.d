/*
 * %ld and %lld take 64-bit integers.
 *
 * opts: -q
 */

BEGIN { printf("%ld %lld %lu %lx %llx\n", -1L, -1LL, 5UL, 255L, 255UL); exit(0); }
