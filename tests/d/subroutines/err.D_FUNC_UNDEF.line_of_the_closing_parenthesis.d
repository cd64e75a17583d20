/*
 * That error has the line of the closing parenthesis.
 *
 * message: undefined function name: nofunc
 * line: 12
 */

BEGIN
{
	nofunc(1,
	    2
	    );
}
