/*
 * Records that find no room are dropped and counted.
 *
 * opts: -q -x bufsize=1k -x switchrate=10sec -x strsize=200
 */

tick-5000hz { n++; printf("%s\n", "x"); }
tick-5000hz /n == 100/ { exit(0); }
int n;
