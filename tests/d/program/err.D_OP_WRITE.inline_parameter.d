/*
 * The parameter of an inline can only be read.
 *
 * line: 8
 * message: operator = can only be applied to a writable variable
 */

inline int f[int a] = (a = 3) + a;

BEGIN { exit(0); }
