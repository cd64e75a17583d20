/*
 * An enumerator is defined once.
 *
 * message: identifier redeclared: A
 * line: 9
 */

enum e { A, B };
enum f { A };
BEGIN { exit(0); }
