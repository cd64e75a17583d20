/*
 * A declaration declares something.
 *
 * message: useless declaration
 * line: 8
 */

extern int;
BEGIN { exit(0); }
