/*
 * A malformed #line is an error.
 *
 * message: malformed #line <line> [ ["file"] state ]
 * line: 8
 */

#line abc
BEGIN
{
	exit(0);
}
