/*
 * The name of an inline is not known in its own definition.
 *
 * line: 8
 * message: failed to resolve x: Unknown variable name
 */

inline int x = x + 1;

BEGIN { exit(0); }
