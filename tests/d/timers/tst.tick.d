/*
 * tick-N fires N times a second; a unit makes it an interval.
 *
 * opts: -q
 */

tick-100 { n++; }
tick-100 /n == 3/ { printf("%d\n", n); exit(0); }
