/*
 * A conversion needs its key.
 *
 * line: 10
 */

BEGIN
{
	@a[1] = count();
	printa("%d %d %@d\n", @a);
}
