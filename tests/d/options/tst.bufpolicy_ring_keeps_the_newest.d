/*
 * With bufpolicy ring old records are overwritten by new ones.
 *
 * opts: -q -x bufpolicy=ring -x bufsize=1k
 */

tick-5000hz { n++; printf("%d\n", n); }
tick-5000hz /n == 500/ { exit(0); }
int n;
