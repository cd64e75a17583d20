/*
 * A name of a library cannot be redefined.
 *
 * line: 7
 */

inline int EPERM = 3;

BEGIN { exit(0); }
