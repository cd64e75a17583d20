/*
 * mutex_owner( ) takes a struct mutex *.
 *
 * line: 9
 */

BEGIN
{
	trace(mutex_owner(1));
}
