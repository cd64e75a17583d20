/*
 * Two strings have no sum.
 *
 * line: 8
 * message: operands have incompatible types: "string" + "string"
 */

BEGIN { x = "a" + "b"; }
