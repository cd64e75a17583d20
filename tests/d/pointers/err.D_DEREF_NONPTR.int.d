/*
 * Only a pointer is dereferenced.
 *
 * message: cannot dereference non-pointer type
 * line: 10
 */

BEGIN
{
	trace(*pid);
}
