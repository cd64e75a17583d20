/*
 * stackindent is a number.
 *
 * opts: -q -x stackindent=4
 */

BEGIN
{
	stack();
	exit(0);
}
