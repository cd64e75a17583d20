/*
 * A struct cannot hold itself.
 *
 * line: 8
 * message: incomplete struct/union/enum struct s: m
 */

struct s { struct s m; };
BEGIN { exit(0); }
