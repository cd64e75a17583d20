/*
 * A tag that is defined has no scope.
 *
 * line: 8
 * message: D scoping operator may not be used in a declaration name (a`b)
 */

struct a`b { int i; };
BEGIN { exit(0); }
