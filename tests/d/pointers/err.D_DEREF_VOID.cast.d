/*
 * A void pointer is not dereferenced.
 *
 * message: cannot dereference pointer to void
 * line: 10
 */

BEGIN
{
	trace(*(void *)0);
}
