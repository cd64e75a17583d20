/*
 * The condition stands in parentheses.
 *
 * line: 8
 * message: syntax error near "1"
 */

BEGIN { if 1 { trace(1); } }
