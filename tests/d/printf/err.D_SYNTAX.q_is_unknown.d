/*
 * Nor is %q.
 *
 * line: 8
 * message: format conversion #1 is undefined: %q
 */

BEGIN { printf("%q", 1); }
