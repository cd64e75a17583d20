/*
 * Pointers of different types are not compared.
 *
 * line: 10
 * message: operands have incompatible types: "int *" == "char *"
 */

int *p;
char *q;
BEGIN { trace(p == q); }
