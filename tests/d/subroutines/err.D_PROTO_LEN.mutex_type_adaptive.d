/*
 * mutex_type_adaptive( ) takes one lock.
 *
 * message: mutex_type_adaptive( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	trace(mutex_type_adaptive());
}
