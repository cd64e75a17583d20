/*
 * A prototype error has the line of the function's name.
 *
 * line: 9
 */

BEGIN
{
	trace(strjoin(
	    "a",
	    1));
}
