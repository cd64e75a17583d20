/*
 * A variable declared again must keep its type.
 *
 * message: identifier redeclared: x*
 * line: 9
 */

int x;
char x;
BEGIN { exit(0); }
