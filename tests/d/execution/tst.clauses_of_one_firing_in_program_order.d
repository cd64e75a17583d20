/*
 * The clauses of one probe run in program order.
 *
 * opts: -q
 */

BEGIN { x = 1; }
BEGIN /x == 1/ { x = 2; }
BEGIN /x == 2/ { printf("third\n"); exit(0); }
