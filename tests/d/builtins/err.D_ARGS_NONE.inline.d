/*
 * args[] exists in a clause only.
 *
 * message: args[ ] may not be referenced outside of a probe clause
 * line: 8
 */

inline int f = args[0];
BEGIN { exit(0); }
