/*
 * %d takes integers.
 *
 * line: 7
 */

BEGIN { printf("%d", "a"); }
