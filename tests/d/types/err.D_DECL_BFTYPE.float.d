/*
 * A bit-field is of integer or enum type.
 *
 * message: invalid type for bit-field: a
 * line: 8
 */

struct s { float a:3; };
BEGIN { exit(0); }
