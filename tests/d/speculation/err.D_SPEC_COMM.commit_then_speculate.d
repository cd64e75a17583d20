/*
 * speculate may not follow commit.
 *
 * line: 10
 */

BEGIN
{
	commit(1);
	speculate(1);
}
