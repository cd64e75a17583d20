/*
 * Members may be arrays of arrays and of structures.
 *
 * opts: -q
 */

struct in { int v[2]; };
struct s { struct in a[3]; };
struct s g;
BEGIN { g.a[2].v[1] = 9; i = 2; printf("%d %d\n", g.a[i].v[i - 1], sizeof(g)); exit(0); }
