/*
 * A fault in one piece stops the later pieces of that clause only.
 *
 * opts: -q
 */

BEGIN { z = 0; }
BEGIN { printf("a\n"); if (1 == 1) { x = 1 / z; printf("b\n"); } printf("c\n"); }
BEGIN { printf("d\n"); exit(0); }
