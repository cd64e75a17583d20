/*
 * An aggregation has one key list.
 *
 * message: improper attempt to reference @a as a multi-dimensional array
 * line: 10
 */

BEGIN
{
	@a[1][2] = count();
}
