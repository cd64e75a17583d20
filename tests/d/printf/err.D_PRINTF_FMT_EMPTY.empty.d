/*
 * The format is not empty.
 *
 * message: printf( ) format string is empty
 * line: 10
 */

BEGIN
{
	printf("");
}
