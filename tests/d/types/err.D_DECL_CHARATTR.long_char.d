/*
 * A char is neither short nor long.
 *
 * message: invalid type declaration: short and long may not be used with char type
 * line: 8
 */

long char x;
BEGIN { exit(0); }
