/*
 * A fault inside an ERROR clause is counted and does not stop the next one.
 *
 * opts: -q
 */

BEGIN { x = 0; trace(1 / x); }
ERROR { trace(1 / x); }
ERROR { printf("second\n"); exit(0); }
int x;
