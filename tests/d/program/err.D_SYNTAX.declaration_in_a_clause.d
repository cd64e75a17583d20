/*
 * No declaration may stand inside a clause.
 *
 * message: syntax error near "int"
 * line: 8
 */

BEGIN { int x; }
