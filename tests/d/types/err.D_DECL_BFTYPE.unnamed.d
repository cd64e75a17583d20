/*
 * The message says so where a bit-field has no name.
 *
 * line: 8
 * message: invalid type for bit-field: (anon)
 */

struct s { string : 3; };
BEGIN { exit(0); }
