/*
 * Elements that are structures are assigned whole.
 *
 * opts: -q
 */

struct s { int a; int b; };
struct s g;
BEGIN { g.a = 1; g.b = 2; x["k"] = g; x["k"].b = 7; printf("%d %d %d\n", x["k"].a, x["k"].b, g.b); exit(0); }
