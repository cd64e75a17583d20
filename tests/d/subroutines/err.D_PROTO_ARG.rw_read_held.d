/*
 * rw_read_held( ) takes a rwlock_t *.
 *
 * line: 9
 */

BEGIN
{
	trace(rw_read_held(1));
}
