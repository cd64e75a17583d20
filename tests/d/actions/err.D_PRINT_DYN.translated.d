/*
 * A translation has no value to print.
 *
 * line: 10
 * message: print( ) may not be applied to a dynamic expression
 */

BEGIN
{
	print(curpsinfo);
}
