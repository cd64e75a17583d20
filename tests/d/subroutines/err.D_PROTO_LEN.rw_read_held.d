/*
 * rw_read_held( ) takes one lock.
 *
 * message: rw_read_held( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	trace(rw_read_held());
}
