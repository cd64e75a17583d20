/*
 * * takes numbers.
 *
 * line: 8
 * message: operator * requires operands of arithmetic type
 */

BEGIN { x = "a" * 2; }
