/*
 * An enumerator comes once in its enumeration.
 *
 * line: 8
 * message: failed to define enumerator 'A': Duplicate member or variable name
 */

enum e { A, B, A };
BEGIN { exit(0); }
