/*
 * The increment is a scalar.
 *
 * line: 8
 * message: increment value (argument #2) must be of scalar type
 */

BEGIN { @a = quantize(1, "x"); }
