/*
 * An enumerator is not called as a variable is.
 *
 * line: 9
 * message: identifier redeclared: A
 */

int A;
enum e { A };
BEGIN { exit(0); }
