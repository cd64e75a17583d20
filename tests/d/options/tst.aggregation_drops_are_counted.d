/*
 * Aggregation data that finds no room is dropped and counted.
 *
 * opts: -q -x aggsize=4k -x aggrate=10sec
 */

tick-5000hz /n < 500/ { @[n] = count(); n++; }
tick-5000hz /n == 500/ { trunc(@); exit(0); }
int n;
