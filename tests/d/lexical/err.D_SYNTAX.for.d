/*
 * There are no loops.
 *
 * message: syntax error near "for"
 * line: 10
 */

BEGIN
{
	for (i = 0; i < 1; i++) ;
}
