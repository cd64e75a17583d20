/*
 * An enumerator's value is an integer constant.
 *
 * line: 7
 */

enum e { A = pid };
BEGIN { exit(0); }
