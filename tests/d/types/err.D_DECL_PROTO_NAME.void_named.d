/*
 * void takes no name.
 *
 * line: 7
 */

int f(void x);
BEGIN { exit(0); }
