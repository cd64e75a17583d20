/*
 * -> does not apply to a structure.
 *
 * line: 10
 * message: operator -> must be applied to a pointer
 */

struct s { int a; };
struct s v;
BEGIN { trace(v->a); }
