/*
 * An action is no condition.
 *
 * line: 8
 * message: if condition must be of scalar type
 */

BEGIN { if (trace(1)) { trace(1); } }
