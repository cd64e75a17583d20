/*
 * There is no floating arithmetic.
 *
 * line: 9
 * message: operands have incompatible types: "float" + "int"
 */

float f;
BEGIN { x = f + 1; }
