/*
 * A commit prints the records before any later one.
 *
 * opts: -q
 */

BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("speculated\n"); }
BEGIN { printf("before\n"); }
BEGIN { commit(self->s); }
BEGIN { printf("after\n"); exit(0); }
