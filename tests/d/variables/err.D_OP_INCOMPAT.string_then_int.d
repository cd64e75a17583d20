/*
 * A variable keeps its type.
 *
 * line: 8
 * message: operands have incompatible types: "string" = "int"
 */

BEGIN { s = "a"; s = 1; }
