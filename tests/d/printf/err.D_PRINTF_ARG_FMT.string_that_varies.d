/*
 * A string that is no constant is no format.
 *
 * line: 7
 */

BEGIN { printf(execname); }
