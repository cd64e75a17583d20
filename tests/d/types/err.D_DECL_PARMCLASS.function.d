/*
 * A parameter of a function has no storage class either.
 *
 * line: 8
 * message: inappropriate storage class for function or associative array parameter
 */

int f(self int x);
BEGIN { exit(0); }
