/*
 * A struct cannot hold itself.
 *
 * line: 7
 */

struct s { struct s m; };
BEGIN { exit(0); }
