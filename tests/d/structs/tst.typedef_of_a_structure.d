/*
 * A typedef may name a structure where it is defined.
 *
 * opts: -q
 */

typedef struct pt { int x, y; } pt_t;
pt_t p;
BEGIN { p.x = 3; p.y = 4; printf("%d %d\n", p.x * p.y, sizeof(pt_t)); exit(0); }
