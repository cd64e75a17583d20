/*
 * A list without an end has at least what stands before it.
 *
 * line: 8
 * message: printf( ) prototype mismatch: 0 args passed, at least 1 expected
 */

BEGIN { printf(); }
