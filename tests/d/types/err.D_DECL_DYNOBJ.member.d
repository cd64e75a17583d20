/*
 * A member cannot be an associative array.
 *
 * line: 7
 */

struct s { int a[int]; };
BEGIN { exit(0); }
