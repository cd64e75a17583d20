/*
 * A backslash before the newline does not continue a string.
 *
 * line: 8
 * message: syntax error near """
 */

BEGIN { trace("abc\
"); }
