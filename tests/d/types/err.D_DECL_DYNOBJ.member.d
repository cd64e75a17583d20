/*
 * A member cannot be an associative array.
 *
 * line: 8
 * message: cannot have dynamic member: a
 */

struct s { int a[int]; };
BEGIN { exit(0); }
