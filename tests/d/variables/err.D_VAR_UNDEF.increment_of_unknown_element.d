/*
 * Nor of an array element.
 *
 * line: 8
 * message: a has not yet been declared or assigned
 */

BEGIN { a[1] += 1; }
