/*
 * With bufresize=manual they are an error.
 *
 * opts: -q -x bufresize=manual -x bufsize=512t
 * status: 1
 */

BEGIN
{
	exit(0);
}
