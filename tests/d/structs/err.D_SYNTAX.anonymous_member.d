/*
 * Members declared in the program have a name.
 *
 * line: 8
 * message: syntax error near ";"
 */

struct s { struct { int a; }; };
