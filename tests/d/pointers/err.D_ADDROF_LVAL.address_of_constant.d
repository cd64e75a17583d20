/*
 * & takes what is in memory.
 *
 * line: 8
 * message: unacceptable operand for unary & operator
 */

BEGIN { trace(&1); }
