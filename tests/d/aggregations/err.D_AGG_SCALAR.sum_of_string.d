/*
 * What is summed is a scalar.
 *
 * line: 8
 * message: sum( ) argument #1 must be of scalar type
 */

BEGIN { @a = sum("x"); }
