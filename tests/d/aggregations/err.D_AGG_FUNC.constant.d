/*
 * An aggregation is assigned an aggregating function.
 *
 * message: @a must be assigned the result of an aggregating function
 * line: 10
 */

BEGIN
{
	@a = 1;
}
