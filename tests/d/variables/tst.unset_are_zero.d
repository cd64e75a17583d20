/*
 * Global and thread-local variables and elements are 0 before they are set.
 *
 * opts: -q
 */

int g;
self int s;
int a[int];
BEGIN { printf("%d %d %d\n", g, self->s, a[5]); exit(0); }
