/*
 * A built-in variable is not assigned to.
 *
 * line: 8
 * message: operator = can only be applied to a writable variable
 */

BEGIN { execname = "x"; }
