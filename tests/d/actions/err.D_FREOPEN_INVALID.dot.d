/*
 * freopen(".") is refused.
 *
 * message: freopen( ) argument #1 cannot be "."
 * opts: -w
 * line: 11
 */

BEGIN
{
	freopen(".");
}
