/*
 * signed and unsigned go with integers only.
 *
 * message: invalid type declaration: signed and unsigned may only be used with integer type
 * line: 8
 */

unsigned float x;
BEGIN { exit(0); }
