/*
 * #error stops the compilation; each word of its text is followed by a blank.
 *
 * message: #error: stop here 
 * line: 8
 */

#error stop here
BEGIN
{
	exit(0);
}
