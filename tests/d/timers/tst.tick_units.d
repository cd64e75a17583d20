/*
 * Units are ns, us, ms, s, m, h, d and hz, in any case, long or short.
 *
 * opts: -q
 */

tick-200000ns { a++; }
tick-500us { b++; }
tick-2msec { c++; }
tick-500HZ { d++; }
tick-1h { e++; }
tick-1min, tick-1day, tick-30sec { e++; }
tick-1ms /a && b && c && d/ { printf("%d\n", e); exit(0); }
int a, b, c, d, e;
