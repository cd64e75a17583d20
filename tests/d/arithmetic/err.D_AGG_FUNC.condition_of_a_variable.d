/*
 * A condition that is not constant chooses nothing: an aggregation has no place in it.
 *
 * line: 9
 */

BEGIN
{
	pid ? @a = count() : 1;
}
