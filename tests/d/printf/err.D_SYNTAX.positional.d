/*
 * Positional formats are not supported.
 *
 * message: format conversion #1 uses unsupported positional format (%n$)
 * line: 10
 */

BEGIN
{
	printf("%5$d", 1);
}
