/*
 * mutex_owned( ) takes one lock.
 *
 * message: mutex_owned( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	trace(mutex_owned());
}
