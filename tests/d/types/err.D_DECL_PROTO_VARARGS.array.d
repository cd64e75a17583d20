/*
 * An array's keys are listed one by one.
 *
 * line: 7
 */

int a[...];
BEGIN { exit(0); }
