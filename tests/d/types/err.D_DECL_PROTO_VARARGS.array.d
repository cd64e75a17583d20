/*
 * An array's keys are listed one by one.
 *
 * line: 8
 * message: array prototype may not use a variable-length argument list
 */

int a[...];
BEGIN { exit(0); }
