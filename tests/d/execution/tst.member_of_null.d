/*
 * A member of a structure whose pointer is NULL is told as NULL, whatever its offset; other addresses as they are.
 * arg2 is the clause, of those of the probe, from 0.
 *
 * opts: -q
 */

struct t { int a; struct { int b; int c[4]; } s; };
BEGIN { trace(((struct t *)0)->s.b); }
BEGIN { this->p = (struct t *)NULL; trace(this->p->a); }
BEGIN { if (1) { trace(0); } trace(((struct t *)0)->s.c[0]); }
BEGIN { trace(((struct t *)64)->s.b); }
BEGIN { trace(*(int *)20); }
BEGIN { print(((struct t *)0)->s); }
BEGIN { exit(0); }
ERROR { printf("%d %d %x\n", arg2, arg4, arg5); }
