/*
 * A tick of 20 ms fires about 10 times in 200 ms, never more often.
 *
 * opts: -q
 */

BEGIN { start = timestamp; }
tick-20ms { n++; }
tick-20ms /timestamp - start >= 200000000/ { printf("%d\n", n >= 5 && n <= 12); exit(0); }
