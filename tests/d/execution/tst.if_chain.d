/*
 * else if makes a chain of which one body runs.
 *
 * opts: -q
 */

BEGIN { x = 2; if (x == 1) { printf("one"); } else if (x == 2) { printf("two"); } else { printf("many"); } printf("!\n"); exit(0); }
