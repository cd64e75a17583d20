/*
 * The version of a binding is a string.
 *
 * line: 8
 * message: malformed #pragma binding "version" <ident>
 */

#pragma D binding 1.5 x
BEGIN { exit(0); }
