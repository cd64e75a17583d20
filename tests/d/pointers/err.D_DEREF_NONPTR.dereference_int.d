/*
 * * takes pointers.
 *
 * line: 8
 * message: cannot dereference non-pointer type
 */

BEGIN { trace(*1); }
