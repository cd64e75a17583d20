/*
 * A control line ends with a newline, in the last line, too.
 *
 * line: 9
 * message: end-of-file encountered before end of control line
 */

BEGIN { exit(0); }
#pragma D option quiet