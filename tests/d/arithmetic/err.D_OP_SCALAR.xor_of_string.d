/*
 * ^^ takes scalars.
 *
 * line: 8
 * message: operator ^^ requires operands of scalar type
 */

BEGIN { x = 1 ^^ "a"; }
