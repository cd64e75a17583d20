/*
 * A member is no function.
 *
 * line: 8
 * message: cannot have void member: f
 */

struct s { int i; int f(int); };
BEGIN { exit(0); }
