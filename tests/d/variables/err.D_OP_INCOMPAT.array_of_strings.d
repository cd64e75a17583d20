/*
 * The values of an array have one type, too.
 *
 * line: 8
 * message: operands have incompatible types: "string" = "int"
 */

BEGIN { a[1] = "a"; a[2] = 2; }
