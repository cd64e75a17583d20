/*
 * mutex_type_spin( ) takes one lock.
 *
 * message: mutex_type_spin( ) prototype mismatch: 0 args passed, 1 expected
 * line: 10
 */

BEGIN
{
	trace(mutex_type_spin());
}
