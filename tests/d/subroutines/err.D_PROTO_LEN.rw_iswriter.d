/*
 * rw_iswriter( ) takes one lock.
 *
 * message: rw_iswriter( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	trace(rw_iswriter());
}
