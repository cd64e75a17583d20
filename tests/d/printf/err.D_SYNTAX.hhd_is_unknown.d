/*
 * %hhd is not known.
 *
 * line: 8
 * message: format conversion #1 is undefined: %hhd
 */

BEGIN { printf("%hhd", (char)1); }
