/*
 * The address of an element in memory may be taken.
 *
 * opts: -q
 */

BEGIN { p = (int *)alloca(16); printf("%d %d\n", &p[2] - p, *&p[1] == 0); exit(0); }
