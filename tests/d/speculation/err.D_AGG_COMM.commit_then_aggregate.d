/*
 * An aggregation may not follow commit.
 *
 * line: 11
 * message: aggregating actions may not follow commit( )
 */

BEGIN
{
	commit(1);
	@ = count();
}
