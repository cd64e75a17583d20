/*
 * The name of an event is known when the program is compiled.
 *
 * message: emit( ) argument #1 must be a string constant
 * line: 10
 */

BEGIN
{
	emit(execname);
}
