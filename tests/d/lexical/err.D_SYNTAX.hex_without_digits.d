/*
 * 0x needs a digit: the constant ends after 0.
 *
 * line: 8
 * message: syntax error near "x; }"
 */

BEGIN { x = 0x; }
