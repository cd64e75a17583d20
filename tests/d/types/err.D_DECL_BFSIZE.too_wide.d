/*
 * A bit-field is not wider than its type.
 *
 * message: bit-field too big for type: a
 * line: 8
 */

struct s { int a:33; };
BEGIN { exit(0); }
