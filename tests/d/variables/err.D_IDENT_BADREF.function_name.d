/*
 * A function is called.
 *
 * message: function 'strlen' may not be referenced as scalar
 * line: 10
 */

BEGIN
{
	trace(strlen);
}
