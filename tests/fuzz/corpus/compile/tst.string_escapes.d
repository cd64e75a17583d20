/*
 * Strings know the escapes of C, up to three octal digits, and any number of hex digits of
 * which the low 8 bits are kept.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", "a\tb");
	printf("%s\n", "\101\102");
	printf("%s\n", "\x41");
	printf("%s\n", "\x4142");
	printf("%s\n", "q\"q");
	printf("%s\n", "b\\b");
	printf("%s\n", "\1012");
	exit(0);
}
