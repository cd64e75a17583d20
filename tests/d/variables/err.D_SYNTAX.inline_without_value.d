/*
 * An inline has a value.
 *
 * line: 8
 * message: syntax error near ";"
 */

inline int x;
BEGIN { exit(0); }
