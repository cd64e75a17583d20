/*
 * strtoll skips blanks, takes a sign and stops at the first character that is no digit.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", strtoll("42"));
	printf("%d\n", strtoll("  -42x"));
	printf("%d\n", strtoll("+7"));
	printf("%d\n", strtoll(""));
	printf("%d\n", strtoll("x"));
	printf("%d\n", strtoll("  -0x10", 16));
	printf("%d\n", strtoll("ff", 16));
	printf("%d\n", strtoll("FF", 16));
	printf("%d\n", strtoll("z", 36));
	printf("%d\n", strtoll("101", 2));
	printf("%d\n", strtoll("12", 2));
	printf("%d\n", strtoll("9223372036854775807"));
	exit(0);
}
