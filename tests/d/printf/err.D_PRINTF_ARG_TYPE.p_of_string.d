/*
 * %p takes pointers and integers.
 *
 * line: 7
 */

BEGIN { printf("%p", "a"); }
