/*
 * An array needs a dimension or a tuple signature.
 *
 * message: array declaration requires array dimension or tuple signature: a
 * line: 8
 */

int a[];
BEGIN { exit(0); }
