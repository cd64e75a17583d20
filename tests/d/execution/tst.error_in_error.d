/*
 * A fault in ERROR is not reported again.
 *
 * opts: -q
 */

BEGIN { z = 0; }
BEGIN { x = 1 / z; }
ERROR { x = 1 / z; }
ERROR { printf("second\n"); exit(0); }
