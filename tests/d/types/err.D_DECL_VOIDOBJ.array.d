/*
 * There are no arrays of void.
 *
 * message: cannot declare array of void*
 * line: 8
 */

void x[3];
BEGIN { exit(0); }
