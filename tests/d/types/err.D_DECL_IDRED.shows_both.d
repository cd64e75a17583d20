/*
 * The message shows the current and the previous declaration.
 *
 * line: 8
 */

int x;
string x;
BEGIN { exit(0); }
