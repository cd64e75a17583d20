/*
 * -> is applied to a pointer to a struct or union.
 *
 * message: operator -> cannot be applied to pointer to type "int"; must be applied to a struct or union pointer
 * line: 11
 */

int *p;
BEGIN
{
	trace(p->x);
}
