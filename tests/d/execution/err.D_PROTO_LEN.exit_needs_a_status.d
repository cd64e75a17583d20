/*
 * It has one argument.
 *
 * line: 8
 * message: exit( ) prototype mismatch: 0 args passed, 1 expected
 */

BEGIN { exit(); }
