/*
 * Nor a condition.
 *
 * line: 8
 * message: operator ?: expression must be of scalar type
 */

BEGIN { x = execname ? 1 : 2; }
