/*
 * void is no type of a key.
 *
 * line: 7
 */

int a[void, char];
BEGIN { exit(0); }
