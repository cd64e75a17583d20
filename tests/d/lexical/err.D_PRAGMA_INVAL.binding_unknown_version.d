/*
 * It is a version of the language.
 *
 * line: 8
 * message: invalid version 9.9 specified by #pragma binding
 */

#pragma D binding "9.9" x
BEGIN { exit(0); }
