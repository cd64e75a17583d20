/*
 * A backslash-newline continues a control line.
 *
 * opts: -q
 */

#pragma D option \
    quiet
BEGIN
{
	printf("quiet\n");
	exit(0);
}
