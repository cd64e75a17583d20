/*
 * Reserved words have no use: any use is a syntax error.
 *
 * message: syntax error near "while"
 * line: 10
 */

BEGIN
{
	while (1) ;
}
