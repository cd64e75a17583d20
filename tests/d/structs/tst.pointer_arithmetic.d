/*
 * Pointers count in structures.
 *
 * opts: -q
 */

struct s { int a; int b; };
BEGIN { p = (struct s *)alloca(24); p[1].b = 5; q = p + 1; printf("%d %d\n", q->b, q - p); exit(0); }
