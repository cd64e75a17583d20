/*
 * A string ends before the newline, at the end of the file too.
 *
 * line: 9
 * message: newline encountered in string literal
 */

BEGIN { trace("abc
