/*
 * A value has the type of its conversion; the error has the line of the function's name.
 *
 * line: 9
 */

BEGIN
{
	printf("%s",
	    1);
}
