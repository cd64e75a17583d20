/*
 * A built-in variable cannot be redeclared.
 *
 * message: *redeclared: pid*
 * line: 8
 */

int pid;
BEGIN { exit(0); }
