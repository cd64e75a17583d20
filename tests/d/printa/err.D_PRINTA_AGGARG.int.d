/*
 * printa prints aggregations.
 *
 * line: 9
 */

BEGIN
{
	printa(pid);
}
