/*
 * A declaration holds for the whole text.
 *
 * message: operands have incompatible types: "string" = "int"
 * line: 8
 */

BEGIN { y = 1; }
string y;
