/*
 * An enumerator's value is an integer constant.
 *
 * line: 8
 * message: enumerator 'A' must be assigned to an integral constant expression
 */

enum e { A = pid };
BEGIN { exit(0); }
