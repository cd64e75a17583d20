/*
 * Thread-local variables are of the thread that fires.
 *
 * opts: -q
 */

BEGIN { self->x = 5; }
BEGIN { printf("%d\n", self->x); }
END { printf("%d\n", self->x); }
BEGIN { exit(0); }
