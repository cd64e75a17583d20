/*
 * Nor may an inline with parameters call itself.
 *
 * line: 8
 * message: failed to resolve f: Unknown variable name
 */

inline int f[int a] = f[a - 1];

BEGIN { exit(0); }
