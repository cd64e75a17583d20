/*
 * void takes no name.
 *
 * line: 8
 * message: void parameter may not have a name: x
 */

int f(void x);
BEGIN { exit(0); }
