/*
 * A parameter takes no storage class.
 *
 * line: 8
 * message: inappropriate storage class for function or associative array parameter
 */

int f(static int);
BEGIN { exit(0); }
