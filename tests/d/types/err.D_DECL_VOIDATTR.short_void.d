/*
 * void takes no attributes.
 *
 * message: invalid type declaration: attributes may not be used with void type
 * line: 8
 */

short void x;
BEGIN { exit(0); }
