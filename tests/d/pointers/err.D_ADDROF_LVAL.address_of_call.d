/*
 * & does not take results.
 *
 * line: 8
 * message: unacceptable operand for unary & operator
 */

BEGIN { trace(&strlen("a")); }
