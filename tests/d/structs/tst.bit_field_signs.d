/*
 * Signed bit-fields extend their sign; unsigned ones do not.
 *
 * opts: -q
 */

struct s { int a:3; unsigned int b:4; };
struct s v;
BEGIN { v.a = 1; v.a += 3; v.b = 0; v.b--; printf("%d %d\n", v.a, v.b); exit(0); }
