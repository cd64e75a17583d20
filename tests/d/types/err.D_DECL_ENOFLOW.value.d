/*
 * An enumerator's value fits in int.
 *
 * message: enumerator 'A' value overflows INT_MAX (2147483647)
 * line: 8
 */

enum e { A = 2147483648 };
BEGIN { exit(0); }
