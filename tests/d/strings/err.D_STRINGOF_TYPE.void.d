/*
 * stringof does not apply to void.
 *
 * message: cannot apply stringof to a value of type void
 * line: 10
 */

BEGIN
{
	trace(stringof((void)0));
}
