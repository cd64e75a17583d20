/*
 * %hhd is not known.
 *
 * message: format conversion #1 is undefined: %hhd
 * line: 10
 */

BEGIN
{
	printf("%hhd", 1);
}
