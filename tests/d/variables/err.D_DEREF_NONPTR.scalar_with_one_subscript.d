/*
 * One subscript is indexing, for which an int is no pointer.
 *
 * line: 8
 * message: cannot dereference non-pointer type
 */

BEGIN { x = 1; x[1] = 2; }
