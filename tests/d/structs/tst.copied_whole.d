/*
 * A structure is copied whole; the copy is its own.
 *
 * opts: -q
 */

struct s { int a; char b[4]; };
struct s v;
BEGIN { v.a = 1; v.b[0] = 'x'; w = v; v.a = 2; printf("%d %d %c\n", v.a, w.a, w.b[0]); exit(0); }
