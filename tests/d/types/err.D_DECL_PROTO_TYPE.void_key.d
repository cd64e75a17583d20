/*
 * void is no type of a key.
 *
 * line: 8
 * message: associative array parameter #1 may not be of type void
 */

int a[void, char];
BEGIN { exit(0); }
