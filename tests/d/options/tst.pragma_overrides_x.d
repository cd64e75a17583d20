/*
 * A pragma overrides an earlier -x.
 *
 * opts: -q -x strsize=100
 */

#pragma D option strsize=5
BEGIN
{
	printf("%d\n", sizeof(string));
	exit(0);
}
