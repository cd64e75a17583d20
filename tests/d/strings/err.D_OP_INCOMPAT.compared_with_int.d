/*
 * A string is not compared with a number but 0.
 *
 * line: 8
 * message: operands have incompatible types: "string" == "int"
 */

BEGIN { trace("a" == 1); }
