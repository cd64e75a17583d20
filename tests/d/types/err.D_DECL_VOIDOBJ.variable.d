/*
 * There are no void objects.
 *
 * message: cannot have void object: x
 * line: 8
 */

void x;
BEGIN { exit(0); }
