/*
 * Nor that of an action.
 *
 * line: 8
 * message: built-in identifier redeclared: printf
 */

int printf;
BEGIN { exit(0); }
