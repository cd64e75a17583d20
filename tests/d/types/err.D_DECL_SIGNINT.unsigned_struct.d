/*
 * signed and unsigned go with integers only.
 *
 * message: invalid type declaration: signed and unsigned may only be used with integer type
 * line: 9
 */

struct s { int a; };
unsigned struct s x;
BEGIN { exit(0); }
