/*
 * %s prints a string, %S with escapes and the terminating NUL.
 *
 * opts: -q
 */

BEGIN
{
	printf("[%s]\n", "abc");
	printf("[%S][%S]\n", "a\n", "");
	printf("[%S]\n", "a b\t\"\\\001");
	exit(0);
}
