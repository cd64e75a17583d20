/*
 * A member name is unique in its struct.
 *
 * message: failed to define member 'a': Duplicate member or variable name.
 * line: 8
 */

struct s { int a; char a; };
BEGIN { exit(0); }
