/*
 * Nor declared.
 *
 * line: 8
 * message: built-in identifier redeclared: timestamp
 */

int timestamp;
BEGIN { exit(0); }
