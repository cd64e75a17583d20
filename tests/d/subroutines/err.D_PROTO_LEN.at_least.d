/*
 * Of optional parameters too few are counted by their least.
 *
 * line: 8
 * message: substr( ) prototype mismatch: 1 arg passed, at least 2 expected
 */

BEGIN { trace(substr("a")); }
