/*
 * The escapes of C stand for one byte in a character constant.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", '\a');
	printf("%d\n", '\b');
	printf("%d\n", '\t');
	printf("%d\n", '\n');
	printf("%d\n", '\v');
	printf("%d\n", '\f');
	printf("%d\n", '\r');
	printf("%d\n", '\0');
	printf("%d\n", '\\');
	printf("%d\n", '"');
	printf("%d\n", '\x41');
	printf("%d\n", '\101');
	exit(0);
}
