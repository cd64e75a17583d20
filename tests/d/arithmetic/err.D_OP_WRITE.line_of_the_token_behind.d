/*
 * An operator's error has the line of the token that follows the whole expression.
 *
 * message: operator = can only be applied to a writable variable
 * line: 11
 */

BEGIN
{
	pid =
	    1;
}
