/*
 * self-> variables are 0 at first and keep their values for the thread.
 *
 * opts: -q
 */

self int a;
BEGIN { printf("%d\n", self->a); self->a = 7; self->s = "text"; }
BEGIN { printf("%d %s\n", self->a, self->s); self->a = 0; self->s = NULL; }
BEGIN { printf("%d %d\n", self->a, self->s == NULL); exit(0); }
