/*
 * An int is no short.
 *
 * line: 7
 */

BEGIN { printf("%hd", 1); }
