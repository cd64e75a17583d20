/*
 * rw_write_held( ) takes a rwlock_t *.
 *
 * line: 9
 */

BEGIN
{
	trace(rw_write_held(1));
}
