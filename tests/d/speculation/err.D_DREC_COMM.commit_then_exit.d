/*
 * exit records too.
 *
 * line: 10
 */

BEGIN
{
	commit(1);
	exit(0);
}
