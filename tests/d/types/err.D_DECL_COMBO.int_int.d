/*
 * Two base types do not make one.
 *
 * message: invalid type combination
 * line: 8
 */

int int x;
BEGIN { exit(0); }
