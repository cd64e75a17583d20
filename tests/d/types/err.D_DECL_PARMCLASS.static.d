/*
 * A parameter takes no storage class.
 *
 * line: 7
 */

int f(static int);
BEGIN { exit(0); }
