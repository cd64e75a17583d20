/*
 * -> applies to pointers to structures.
 *
 * line: 9
 * message: operator -> cannot be applied to pointer to type "int"; must be applied to a struct or union pointer
 */

int *p;
BEGIN { trace(p->a); }
