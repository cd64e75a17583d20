/*
 * A tag names one type.
 *
 * message: type redeclared: struct s
 * line: 9
 */

struct s { int a; };
struct s { int b; };
BEGIN { exit(0); }
