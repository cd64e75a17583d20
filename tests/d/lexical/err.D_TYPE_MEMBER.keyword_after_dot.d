/*
 * Keywords like provider may be members after a dot.
 *
 * line: 10
 * message: provider is not a member of struct s
 */

struct s { int x; };
struct s v;
BEGIN { trace(v.provider); }
