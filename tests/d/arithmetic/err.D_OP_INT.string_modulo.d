/*
 * % takes integers.
 *
 * line: 8
 * message: operator % requires operands of integral type
 */

BEGIN { x = "a" % 2; }
