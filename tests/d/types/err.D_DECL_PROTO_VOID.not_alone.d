/*
 * void must be the sole parameter.
 *
 * message: void must be sole parameter*
 * line: 8
 */

int f(int, void);
BEGIN { exit(0); }
