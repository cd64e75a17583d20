#!/usr/sbin/dtrace -s
/*
 * A first line that begins with #! is ignored.
 *
 * opts: -q
 */

BEGIN
{
	printf("ok\n");
	exit(0);
}
