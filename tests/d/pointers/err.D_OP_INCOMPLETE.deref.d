/*
 * What a pointer to a forward declaration leads to has no size.
 *
 * line: 10
 */

struct nodef *p;
BEGIN
{
	trace(*p);
}
