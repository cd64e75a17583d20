/*
 * An array is referenced with keys.
 *
 * line: 8
 * message: associative array 'a' may not be referenced as scalar
 */

BEGIN { a[1] = 1; a = 2; }
