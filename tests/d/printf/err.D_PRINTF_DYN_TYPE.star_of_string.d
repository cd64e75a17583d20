/*
 * The argument of * is an int.
 *
 * line: 7
 */

BEGIN { printf("%*d", "a", 1); }
