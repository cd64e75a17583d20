/*
 * A parameter of a function is no associative array.
 *
 * line: 8
 * message: function prototype may not use parameter of type dynamic variable: b, parameter #2
 */

int f(char, int b[int]);
BEGIN { exit(0); }
