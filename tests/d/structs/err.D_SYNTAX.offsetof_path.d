/*
 * offsetof takes one member name, no path.
 *
 * line: 9
 * message: syntax error near "."
 */

struct s { struct { short c; } d; };
BEGIN { trace(offsetof(struct s, d.c)); }
