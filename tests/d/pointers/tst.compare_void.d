/*
 * Any pointer may be compared with a void pointer, NULL or 0.
 *
 * opts: -q
 */

int *p;
void *v;
BEGIN { printf("%d %d %d\n", p == v, p == NULL, p == 0); exit(0); }
