/*
 * A function pointer is not dereferenced.
 *
 * message: cannot dereference pointer to function
 * line: 11
 */

void (*p)(int);
BEGIN
{
	trace(*p);
}
