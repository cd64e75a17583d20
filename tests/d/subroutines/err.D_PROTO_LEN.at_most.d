/*
 * Of optional parameters too many are counted by their most.
 *
 * line: 8
 * message: substr( ) prototype mismatch: 4 args passed, at most 3 expected
 */

BEGIN { trace(substr("a", 1, 2, 3)); }
