/*
 * So is a pointer to an integer.
 *
 * line: 10
 * message: operands have incompatible types: "int" = "int *"
 */

int *p;
int x;
BEGIN { x = p; }
