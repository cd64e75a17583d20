/*
 * An aggregation may not follow commit.
 *
 * line: 10
 */

BEGIN
{
	commit(1);
	@ = count();
}
