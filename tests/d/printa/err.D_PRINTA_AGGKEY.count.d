/*
 * Several aggregations have equal key lists.
 *
 * message: printa( ): @a and @b do not have matching key signatures: @a has 1 key, @b has 2 keys
 * line: 12
 */

BEGIN
{
	@a[1] = count();
	@b[1, 2] = count();
	printa(@a, @b);
}
