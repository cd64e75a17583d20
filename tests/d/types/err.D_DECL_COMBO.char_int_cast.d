/*
 * Two base types do not make one, in a cast neither.
 *
 * message: invalid type combination
 * line: 10
 */

BEGIN
{
	i = (char int)0;
}
