/*
 * A compound assignment does not define an aggregation.
 *
 * line: 10
 * message: @a has not yet been declared or assigned
 */

BEGIN
{
	@a += count();
}
