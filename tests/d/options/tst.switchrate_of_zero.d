/*
 * A rate of 0 means in every work cycle.
 *
 * opts: -q -x switchrate=0
 */

BEGIN { printf("a\n"); }
tick-5ms { printf("b\n"); exit(0); }
