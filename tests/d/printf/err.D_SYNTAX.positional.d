/*
 * There are no positional conversions.
 *
 * line: 8
 * message: format conversion #1 uses unsupported positional format (%n$)
 */

BEGIN { printf("%1$d", 1); }
