/*
 * An integer is assigned to a pointer by a cast only.
 *
 * line: 9
 * message: operands have incompatible types: "int *" = "int"
 */

int *p;
BEGIN { p = 5; }
