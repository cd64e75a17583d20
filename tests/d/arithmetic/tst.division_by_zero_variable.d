/*
 * A variable zero divisor is a fault of that clause.
 *
 * opts: -q
 */

BEGIN { z = 0; }
BEGIN { trace(1 / z); }
BEGIN { trace("next"); }
ERROR { printf("fault %d\n", arg4); }
BEGIN { exit(0); }
