/*
 * Nor is the name of a subroutine.
 *
 * line: 8
 * message: built-in identifier redeclared: strlen
 */

int strlen;
BEGIN { exit(0); }
