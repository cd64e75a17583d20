/*
 * A conversion needs a name.
 *
 * line: 8
 * message: format conversion #1 name expected before end of format string
 */

BEGIN { printf("%"); }
