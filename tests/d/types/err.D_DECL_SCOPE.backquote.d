/*
 * A declared name holds no backquote.
 *
 * message: D scoping operator may not be used in a declaration name (a`b)
 * line: 8
 */

int a`b;
BEGIN { exit(0); }
