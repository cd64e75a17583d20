/*
 * exit records too.
 *
 * line: 11
 * message: data-recording actions may not follow commit( )
 */

BEGIN
{
	commit(1);
	exit(0);
}
