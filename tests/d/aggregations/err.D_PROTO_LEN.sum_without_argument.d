/*
 * sum takes one.
 *
 * line: 8
 * message: sum( ) prototype mismatch: 0 args passed, 1 expected
 */

BEGIN { @a = sum(); }
