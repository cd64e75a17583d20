/*
 * An inline has a value.
 *
 * line: 7
 */

inline int x;
BEGIN { exit(0); }
