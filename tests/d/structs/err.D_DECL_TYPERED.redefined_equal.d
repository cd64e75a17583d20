/*
 * A tag is defined once, the same body or not.
 *
 * line: 9
 * message: type redeclared: struct s
 */

struct s { int a; };
struct s { int a; };
