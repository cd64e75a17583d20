/*
 * A result longer than strsize is cut to strsize characters.
 *
 * opts: -q -x strsize=8
 */

BEGIN
{
	printf("[%s]\n", strjoin("abcdefg", "hijk"));
	exit(0);
}
