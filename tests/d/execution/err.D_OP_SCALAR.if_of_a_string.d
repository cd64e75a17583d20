/*
 * The condition is scalar.
 *
 * line: 8
 * message: if condition must be of scalar type
 */

BEGIN { if ("a") { trace(1); } }
