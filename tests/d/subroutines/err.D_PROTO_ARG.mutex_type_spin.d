/*
 * mutex_type_spin( ) takes a struct mutex *.
 *
 * line: 9
 */

BEGIN
{
	trace(mutex_type_spin(1));
}
