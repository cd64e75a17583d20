/*
 * %c prints the character of the low byte, %C with an escape.
 *
 * opts: -q
 */

BEGIN
{
	printf("%c\n", 65);
	printf("%c\n", 'z');
	printf("%c\n", (char)66);
	printf("%C\n", '\n');
	printf("%C\n", 0);
	printf("%C\n", 27);
	printf("%C\n", '"');
	printf("%C\n", 'a');
	printf("%C\n", 'ab');
	exit(0);
}
