/*
 * mutex_owner( ) takes one lock.
 *
 * message: mutex_owner( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	trace(mutex_owner());
}
