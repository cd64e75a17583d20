/*
 * A fault discards the records of its clause; stores before it stay.
 *
 * opts: -q
 */

BEGIN { z = 0; }
BEGIN { printf("not seen\n"); y = 5; @n = sum(7); x = 1 / z; y = 6; }
BEGIN { printf("%d\n", y); exit(0); }
