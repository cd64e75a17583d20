/*
 * A key is no associative array.
 *
 * line: 8
 * message: array prototype may not use parameter of type dynamic variable: b, parameter #2
 */

int a[int, string b[int]];
BEGIN { exit(0); }
