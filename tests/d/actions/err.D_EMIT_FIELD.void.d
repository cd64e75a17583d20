/*
 * A field is a value.
 *
 * message: emit( ) argument #2 must be an integer, a pointer, a string or a structure
 * line: 10
 */

BEGIN
{
	emit("e", (void)0);
}
