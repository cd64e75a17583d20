/*
 * The key of a width is an integer.
 *
 * line: 10
 */

BEGIN
{
	@["x"] = count();
	printa("[%*s]\n", @);
}
