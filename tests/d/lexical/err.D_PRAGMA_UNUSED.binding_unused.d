/*
 * A binding of a name that never comes is unused.
 *
 * line: 8
 * message: unused #pragma binding
 */

#pragma D binding "1.5" nosuch
BEGIN { exit(0); }
