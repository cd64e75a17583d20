/*
 * A list of enumerators has no trailing comma.
 *
 * line: 8
 * message: syntax error near "}"
 */

enum e { A, };
