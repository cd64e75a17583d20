/*
 * An empty body is the default action: one line with nothing after the prefix.
 */

BEGIN
{
}
BEGIN
{
	exit(0);
}
