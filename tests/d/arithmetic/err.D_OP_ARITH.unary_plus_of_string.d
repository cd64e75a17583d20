/*
 * Unary + takes numbers.
 *
 * line: 8
 * message: operator + requires an operand of arithmetic type
 */

BEGIN { x = +"a"; }
