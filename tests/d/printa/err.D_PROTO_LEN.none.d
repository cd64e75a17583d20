/*
 * printa needs an argument.
 *
 * line: 9
 */

BEGIN
{
	printa();
}
