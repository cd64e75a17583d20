/*
 * A fault in the condition runs neither body.
 *
 * opts: -q
 */

BEGIN { z = 0; }
BEGIN { if (1 / z) { printf("a\n"); } else { printf("b\n"); } printf("c\n"); }
BEGIN { printf("d\n"); exit(0); }
