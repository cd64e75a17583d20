/*
 * rw_iswriter( ) takes a rwlock_t *.
 *
 * line: 9
 */

BEGIN
{
	trace(rw_iswriter(1));
}
