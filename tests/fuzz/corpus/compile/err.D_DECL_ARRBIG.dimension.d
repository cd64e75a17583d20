/*
 * A dimension has at most 32 bits.
 *
 * message: array dimension too big
 * line: 8
 */

int a[0x100000000];
BEGIN { exit(0); }
