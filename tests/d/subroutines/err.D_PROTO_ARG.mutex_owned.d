/*
 * mutex_owned( ) takes a struct mutex *.
 *
 * line: 9
 */

BEGIN
{
	trace(mutex_owned(1));
}
