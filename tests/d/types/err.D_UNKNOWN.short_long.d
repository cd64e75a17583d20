/*
 * short long is no type.
 *
 * message: failed to resolve type short long : Unknown type name
 * line: 8
 */

short long x;
BEGIN { exit(0); }
