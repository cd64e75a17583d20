/*
 * A built-in variable is not called.
 *
 * message: scalar 'pid' may not be referenced as a function
 * line: 10
 */

BEGIN
{
	pid(1);
}
