/*
 * The attributes pragma takes attributes and a name.
 *
 * line: 8
 * message: malformed #pragma attributes <attributes> <ident>
 */

#pragma D attributes
BEGIN { exit(0); }
