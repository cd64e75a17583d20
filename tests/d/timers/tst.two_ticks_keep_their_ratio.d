/*
 * Two ticks fire in the ratio of their rates.
 *
 * opts: -q
 */

tick-1ms { fast++; }
tick-10ms { slow++; }
tick-10ms /slow == 10/ { printf("%d\n", fast > 50 && fast < 150); exit(0); }
