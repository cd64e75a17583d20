/*
 * A percent at the end needs a name.
 *
 * message: format conversion #1 name expected before end of format string
 * line: 10
 */

BEGIN
{
	printf("%");
}
