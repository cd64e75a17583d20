/*
 * Thousands of updates and hundreds of keys are all counted.
 *
 * opts: -q
 */

tick-5000hz /n < 200/ { @[n % 100] = count(); @t = count(); n++; }
tick-5000hz /n == 200/ { trunc(@, 2); exit(0); }
int n;
