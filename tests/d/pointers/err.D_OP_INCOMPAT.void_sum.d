/*
 * A void pointer has no elements to count.
 *
 * line: 9
 * message: operands have incompatible types: "void *" + "int"
 */

void *p;
BEGIN { trace(p + 1); }
