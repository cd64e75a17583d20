/*
 * So is a zero divisor of %.
 *
 * opts: -q
 */

BEGIN { z = 0; }
BEGIN { trace(1 % z); }
ERROR { printf("fault %d\n", arg4); exit(0); }
