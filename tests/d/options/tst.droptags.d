/*
 * With droptags a drop message names its tag.
 *
 * opts: -q -x droptags -x dynvarsize=1k
 */

tick-5000hz /n < 1000/ { a[n] = 1; n++; }
tick-5000hz /n == 1000/ { exit(0); }
int n;
