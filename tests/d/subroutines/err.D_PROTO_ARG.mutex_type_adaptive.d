/*
 * mutex_type_adaptive( ) takes a struct mutex *.
 *
 * line: 9
 */

BEGIN
{
	trace(mutex_type_adaptive(1));
}
