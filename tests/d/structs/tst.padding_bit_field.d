/*
 * Unnamed bit-fields are padding.
 *
 * opts: -q
 */

struct s { int a:3; int :5; int b:8; };
struct s v;
BEGIN { v.a = 3; v.b = -1; printf("%d %d %d\n", v.a, v.b, sizeof(v)); exit(0); }
